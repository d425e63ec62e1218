import { password, registerApplication, type TestApplication } from './applications.ts'
import { walkOverNetwork } from './consent.ts'
import { type Harness, listen, startHarness } from './harness.ts'

export interface KitService {
  service: Harness
  /** Where it listens: a real socket, as a partner's cloud uses it. */
  url: string
  application: TestApplication
}

export async function startKitService(environment: Record<string, string> = {}): Promise<KitService> {
  const service = await startHarness(environment)
  const url = await listen(service)
  const application = await registerApplication(service)
  await service.operator('PATCH', `/partners/${application.partner_id}`, { portal_domain: new URL(url).host })
  return { service, url, application }
}

/** The person's part: from the kit's address through sign-in and consent to the application's callback. */
export async function submitConsent(
  { application }: KitService,
  authorizeUrl: string,
  decision: 'approve' | 'decline' = 'approve',
): Promise<string> {
  const { email, redirect_uri } = application
  const { url } = await walkOverNetwork(authorizeUrl, { email, password }, { until: redirect_uri, decision })
  return url.href
}
