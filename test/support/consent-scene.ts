import assert from 'node:assert/strict'
import { newId } from '../../server/src/platform/secrets/identifiers.ts'
import { password, registerApplication, type TestApplication } from './applications.ts'
import { readConsent, type Walk, walkToConsent } from './consent.ts'
import type { Visit } from './form-browser.ts'
import type { Harness } from './harness.ts'

/** What the tests of the consent screen share, on one service. */
export function consentScene(service: Harness) {
  const { sql } = service

  async function addUser(customerId: string, name: string, role: 'administrator' | 'member', groups: string[] = []) {
    const email = `${name}-${newId()}@example.com`
    const body = { name, email, password, role, groups }
    const created = await service.operator('POST', `/customers/${customerId}/users`, body)
    assert.equal(created.status, 201, JSON.stringify(created.body))
    return { id: created.body.id as string, email, password }
  }

  async function addCustomer(application: TestApplication, name: string): Promise<string> {
    const { body } = await service.operator('POST', '/customers', { partner_id: application.partner_id, name })
    return body.id
  }

  /** The consent screen in front of an administrator, with the form's fields. */
  async function reachConsent(walk: Walk = {}, known?: TestApplication) {
    const application = known ?? (await registerApplication(service))
    const { browser, page } = await walkToConsent(service, application, walk)
    const { request, customer_ids } = readConsent(page)
    const form = { request, customer_id: customer_ids[0] ?? '', decision: 'approve' }
    return { application, browser, page, form }
  }

  async function codesOf({ client_id }: { client_id: string }): Promise<number> {
    const rows = await sql`select 1 from authorization_codes where client_id = ${client_id}`
    return rows.length
  }

  /** A clear page, no way to the application, and no code. */
  async function assertNoCode(visit: Visit, application: { client_id: string }, status: number, codes = 0) {
    assert.equal(visit.status, status, visit.location ?? visit.body)
    assert.equal(visit.location, undefined)
    assert.match(visit.body, /<h1>/)
    assert.equal(await codesOf(application), codes)
  }

  return { addUser, addCustomer, reachConsent, codesOf, assertNoCode }
}

/** The parameters on the redirect to the application; none when there is no redirect. */
export function parametersOf({ location }: Visit): Record<string, string> {
  return Object.fromEntries(new URL(location ?? 'x:y').searchParams)
}
