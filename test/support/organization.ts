import { createApiKey } from '../../server/src/directory/api-keys.ts'
import { connect, password, registerApplication, type TestApplication } from './applications.ts'
import { Browser } from './form-browser.ts'
import { type Harness, type TestResponse, toTestResponse } from './harness.ts'

export type CredentialKind = 'bearer' | 'api_key' | 'session'
export const credentialKinds: CredentialKind[] = ['bearer', 'api_key', 'session']

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** A customer with its administrator, an application it is connected to, and its three kinds of credential. */
export interface TestOrganization {
  application: TestApplication
  customer_id: string
  administrator: { id: string; email: string; password: string }
  /** The headers of each credential. */
  headers: Record<CredentialKind, Record<string, string>>
  call(
    credential: CredentialKind,
    method: Method,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<TestResponse & { raw: string }>
}

/** `host`: where its administrator signs in, and so the only host where that session counts. */
export async function createOrganization(service: Harness, host?: string): Promise<TestOrganization> {
  const application = await registerApplication(service)
  const { customer_id, user_id, email } = application
  const { access_token } = await connect(service, application)
  const { key } = await createApiKey(service.context, { kind: 'user', id: user_id }, { customer_id }, { name: 'Tests' })
  const headers: TestOrganization['headers'] = {
    bearer: { authorization: `Bearer ${access_token}` },
    api_key: { authorization: key },
    session: await sessionHeaders(service, { email, password }, host),
  }
  return {
    application,
    customer_id,
    administrator: { id: user_id, email, password },
    headers,
    async call(credential, method, path, body, more = {}) {
      const url = `/core/v1/organization${path}`
      const payload = body === undefined ? {} : { payload: body }
      const response = await service.app.inject({
        method,
        url,
        headers: { ...headers[credential], ...more },
        ...payload,
      })
      return { ...toTestResponse(response), raw: response.body }
    },
  }
}

/** What a signed-in browser sends along with a call of an API. */
export async function sessionHeaders(service: Harness, person: { email: string; password: string }, host?: string) {
  const browser = new Browser(service, host ? { host } : {})
  await browser.signIn(person)
  return browser.headers
}
