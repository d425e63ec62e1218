import { nextAddress, password, registerApplication, type TestApplication } from './applications.ts'
import { readConsent } from './consent.ts'
import { Browser } from './form-browser.ts'
import { type Harness, startHarness } from './harness.ts'

export interface RunningService {
  service: Harness
  /** Where it listens: a real socket, as a partner's cloud meets it. */
  url: string
  application: TestApplication
}

export async function startService(environment: Record<string, string> = {}): Promise<RunningService> {
  const service = await startHarness(environment)
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
  Object.assign(service.context.addresses, { publicUrl: url, entryUrl: url, hubUrl: url })
  // The kit tells the time by the machine's clock.
  service.clock.forward((Date.now() - service.clock.now().getTime()) / 1000)
  const application = await registerApplication(service)
  await service.operator('PATCH', `/partners/${application.partner_id}`, { portal_domain: new URL(url).host })
  return { service, url, application }
}

/** The person's part: from the kit's address through sign-in and consent back to the application. */
export async function answerConsent(
  { service, url, application }: RunningService,
  authorizeUrl: string,
  decision: 'approve' | 'decline' = 'approve',
): Promise<string> {
  const browser = new Browser(service, { host: new URL(url).host, address: nextAddress() })
  await browser.signIn({ email: application.email, password })
  const page = await browser.follow(authorizeUrl)
  const { request, customer_ids } = readConsent(page)
  const answer = await browser.post('/consent', { request, customer_id: customer_ids[0]!, decision })
  if (!answer.location) throw new Error(`No way back: ${answer.status} ${answer.body}`)
  return answer.location
}
