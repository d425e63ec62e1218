// One service, one organization and those around it, for all sequences of a model.
import { randomBytes } from 'node:crypto'
import { exchange, password, type TestApplication } from '../support/applications.ts'
import { walkToCode } from '../support/consent.ts'
import { type Harness, startHarness, type TestResponse, toTestResponse } from '../support/harness.ts'
import { createOrganization, sessionHeaders, type TestOrganization } from '../support/organization.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
export type Headers = Record<string, string>

export interface Person {
  id: string
  email: string
  headers: Headers
}

export interface World {
  service: Harness
  organization: TestOrganization
  stranger: TestOrganization
  /** By the name that the rules have for them. */
  headers: Record<string, Headers>
  call(who: string, method: Method, path: string, body?: object, more?: Headers): Promise<TestResponse>
  /** An account with a browser that is signed in, as a member or administrator of a customer. */
  addPerson(role: 'administrator' | 'member', customerId?: string): Promise<Person>
  /** The administrator approves the application on the consent screen; its token is then called `name`. */
  approve(name: string, application: TestApplication): Promise<void>
  /** Signs in and connects again where the clock has moved far enough for credentials to expire; returns whether it did. */
  refresh(): Promise<boolean>
}

/** With a member who may view, a person who left, and the administrator of another organization. */
export async function startWorld(environment: Record<string, string> = {}): Promise<World> {
  const service = await startHarness(environment)
  const [organization, stranger] = [await createOrganization(service), await createOrganization(service)]
  const headers: World['headers'] = { ...organization.headers, stranger: stranger.headers.session, nobody: {} }

  const call: World['call'] = async (who, method, path, body, more = {}) => {
    if (!headers[who]) throw new Error(`nobody is called ${who}`)
    const response = await service.app.inject({
      method,
      url: path.startsWith('/core/') ? path : `/core/v1/organization${path}`,
      headers: { ...headers[who], ...more },
      ...(body ? { payload: body } : {}),
    })
    return toTestResponse(response)
  }

  const addPerson: World['addPerson'] = async (role, customerId = organization.customer_id) => {
    const email = `${randomBytes(5).toString('hex')}@example.com`
    const person = { name: 'Robin', email, password, role }
    const { status, body } = await service.operator('POST', `/customers/${customerId}/users`, person)
    if (status !== 201) throw new Error(JSON.stringify(body))
    return { id: body.id, email, headers: await sessionHeaders(service, { email, password }) }
  }

  const approve: World['approve'] = async (name, application) => {
    const { customer_id, administrator } = organization
    const walked = await walkToCode(service, application, { email: administrator.email, customer_id })
    const { body } = await exchange(service, application, { ...walked, grant_id: '' })
    headers[name] = { authorization: `Bearer ${body.access_token}` }
  }
  await approve('bearer', organization.application)

  const viewer = await addPerson('member')
  const removed = await addPerson('administrator')
  headers.viewer = viewer.headers
  headers.removed = removed.headers
  await mustSucceed(call('session', 'PATCH', `/users/${viewer.id}`, { can_view_devices: true }))
  await mustSucceed(call('session', 'DELETE', `/users/${removed.id}`))

  let refreshedAt = service.clock.now().getTime()
  const refresh = async () => {
    const at = service.clock.now().getTime()
    if (at - refreshedAt < 1_800_000) return false
    refreshedAt = at
    const emails = { session: organization.administrator.email, stranger: stranger.administrator.email }
    const others = { viewer: viewer.email, removed: removed.email }
    for (const [name, email] of Object.entries({ ...emails, ...others })) {
      headers[name] = await sessionHeaders(service, { email, password })
    }
    await approve('bearer', organization.application)
    return true
  }
  return { service, organization, stranger, headers, call, addPerson, approve, refresh }
}

export async function mustSucceed(calling: Promise<TestResponse>): Promise<TestResponse> {
  const response = await calling
  if (response.status >= 300) throw new Error(`${response.status} ${JSON.stringify(response.body)}`)
  return response
}
