import { randomBytes } from 'node:crypto'
import { nextAddress, password } from './applications.ts'
import { Browser } from './form-browser.ts'
import { type Harness, type TestResponse, toTestResponse } from './harness.ts'

export type Call = (
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => Promise<TestResponse>

export interface TestPartner {
  id: string
  lab_customer_id: string
  email: string
  /** The partner API with a key of the partner. */
  call: Call
  /** The partner API from the portal. */
  browse: Call
  key: string
}

/** A partner whose first person is signed in to the portal and created a key. */
export async function newPartner(service: Harness, { name = 'Acme' } = {}): Promise<TestPartner> {
  const email = `ada-${randomBytes(4).toString('hex')}@example.com`
  const admin = { name: 'Ada Lovelace', email, password }
  const { body } = await service.operator('POST', '/partners', { name, portal_domain: 'acme.test', admin })
  const browser = new Browser(service, { address: nextAddress() })
  await browser.signIn({ email, password })
  const browse = caller(service, () => browser.headers)
  const key = (await browse('POST', '/api-keys', { name: 'cloud' })).body.key as string
  return {
    id: body.id,
    lab_customer_id: body.lab.customer_id,
    email,
    key,
    browse,
    call: caller(service, () => ({ authorization: key })),
  }
}

function caller(service: Harness, credentials: () => Record<string, string>): Call {
  return async (method, path, body, headers = {}) =>
    toTestResponse(
      await service.app.inject({
        method,
        url: `/core/v1/partner${path}`,
        headers: { ...credentials(), ...headers },
        ...(body ? { payload: body } : {}),
      }),
    )
}
