import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { approveFor, connect, password, refresh, revoke } from '../../../../test/support/applications.ts'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { testMasterKey } from '../../../../test/support/keys.ts'
import { createOrganization, type TestOrganization } from '../../../../test/support/organization.ts'
import { requireWithin, until } from '../../../../test/support/until.ts'
import { buildApp } from '../../build-app.ts'
import { createContext } from '../../context.ts'
import { listenerApplicationName } from '../../platform/database/notifications.ts'

const service = await startHarness()
const { clock, sql } = service

/** Another process, where the streams are open: what ends their credentials happens on the first one. */
const elsewhere = createContext({
  ...service.context,
  keys: { master: testMasterKey, operator: service.context.operatorKey },
})
const otherApp = await buildApp(elsewhere)
await otherApp.ready()
after(async () => {
  await otherApp.close()
  await elsewhere.telemetry.close()
  await elsewhere.notifications.close()
})

interface OpenStream {
  ended(): boolean
  close(): void
}

async function open(headers: Record<string, string>): Promise<OpenStream> {
  const url = '/core/v1/organization/devices/stream'
  const response = await otherApp.inject({ url, headers, payloadAsStream: true })
  assert.equal(response.statusCode, 200)
  const stream = response.stream()
  let ended = false
  stream.on('end', () => {
    ended = true
  })
  stream.resume()
  return { ended: () => ended, close: () => void stream.destroy() }
}

/** A member who sees devices, with the session of a browser. */
async function addViewer({ call, customer_id }: TestOrganization) {
  const email = `${crypto.randomUUID()}@example.com`
  const added = await service.operator('POST', `/customers/${customer_id}/users`, {
    ...{ name: 'Vera', email, password, role: 'member' },
  })
  const id: string = added.body.id
  assert.equal((await call('session', 'PATCH', `/users/${id}`, { can_view_devices: true })).status, 200)
  const browser = new Browser(service)
  await browser.signIn({ email, password })
  return { id, email, browser }
}

interface Scene {
  organization: TestOrganization
  viewer: Awaited<ReturnType<typeof addViewer>>
  tokens: { access_token: string; refresh_token: string }
}

const patch = ({ organization, viewer }: Scene, body: object) =>
  organization.call('session', 'PATCH', `/users/${viewer.id}`, body)

/** Every way in which the credential of a stream ends. */
const changeKey = async ({ organization }: Scene, changes: object) => {
  const { body } = await organization.call('session', 'GET', '/api-keys')
  const changed = await organization.call('session', 'PATCH', `/api-keys/${body.items[0].id}`, changes)
  assert.equal(changed.status, 200)
}

const ways: Record<string, Record<string, (scene: Scene) => Promise<unknown>>> = {
  bearer: {
    'the application revokes it': ({ organization, tokens }) =>
      revoke(service, organization.application, tokens.access_token),
    'the application revokes the refresh token': ({ organization, tokens }) =>
      revoke(service, organization.application, tokens.refresh_token),
    'a refresh token is presented again': async ({ organization, tokens }) => {
      await refresh(service, organization.application, tokens.refresh_token)
      clock.forward(61)
      await refresh(service, organization.application, tokens.refresh_token)
    },
    'an administrator withdraws the approval': async ({ organization: { application, call, customer_id } }) => {
      await sql`insert into approvals (client_id, customer_id, approved_at)
        values (${application.client_id}, ${customer_id}, ${clock.now()})`
      await call('session', 'DELETE', `/connected-apps/${application.client_id}`)
    },
    'an administrator narrows the approval to a space': async ({ organization: { application, call } }) => {
      await approveFor(service, application, {})
      const { body: space } = await call('session', 'POST', '/spaces', { name: 'Berlin' })
      await call('session', 'PATCH', `/connected-apps/${application.client_id}`, { within: [space.id] })
    },
    'an administrator takes the devices away from it': async ({ organization: { application, call } }) => {
      await approveFor(service, application, {})
      const permissions = { devices: 'none', spaces: 'read', people: 'read', audit: 'read' }
      await call('session', 'PATCH', `/connected-apps/${application.client_id}`, { permissions })
    },
    'the operator disables the application': ({ organization }) =>
      service.operator('PATCH', `/applications/${organization.application.client_id}`, { enabled: false }),
    'it expires': async () => clock.forward(3_601),
  },
  api_key: {
    'an administrator revokes it': async ({ organization }) => {
      const { body } = await organization.call('session', 'GET', '/api-keys')
      await organization.call('session', 'DELETE', `/api-keys/${body.items[0].id}`)
    },
    'an administrator narrows it': async (scene) => {
      const permissions = { devices: 'none', spaces: 'read', people: 'none', audit: 'none' }
      await changeKey(scene, { permissions })
    },
    'it expires': async (scene) => {
      await changeKey(scene, { expires_at: new Date(clock.now().getTime() + 60_000).toISOString() })
      clock.forward(60)
    },
    'it is rotated after a leak': async ({ organization }) => {
      const { body } = await organization.call('session', 'GET', '/api-keys')
      await organization.call('session', 'POST', `/api-keys/${body.items[0].id}/rotate`, { overlap_seconds: 0 })
    },
  },
  session: {
    'its user signs out': ({ viewer }) => viewer.browser.post('/sign-out', {}),
    'its user signs out everywhere, in another browser': async ({ viewer }) => {
      const other = new Browser(service)
      await other.signIn({ email: viewer.email, password })
      await other.post('/account/sign-out-everywhere', {})
    },
    'its user ends it, in another browser': async ({ viewer }) => {
      const other = new Browser(service)
      await other.signIn({ email: viewer.email, password })
      const [, id] = /name="id" value="([^"]+)"/.exec((await other.get('/account')).body)!
      await other.post('/account/sessions/end', { id: id! })
    },
    'its user ends all others, in another browser': async ({ viewer }) => {
      const other = new Browser(service)
      await other.signIn({ email: viewer.email, password })
      await other.post('/account/sessions/end-others', {})
    },
    'its user changes the password': ({ viewer }) =>
      viewer.browser.post('/account/password', {
        ...{ password, new_password: `${password} again`, repeated_password: `${password} again` },
      }),
    'its user signs in again in the same browser': ({ viewer }) =>
      viewer.browser.signIn({ email: viewer.email, password }),
    'an administrator signs its user out': ({ organization, viewer }) =>
      organization.call('session', 'POST', `/users/${viewer.id}/end-sessions`),
    'its user is removed': ({ organization, viewer }) => organization.call('session', 'DELETE', `/users/${viewer.id}`),
    'its user is deactivated': (scene) => patch(scene, { active: false }),
    'its user may no longer see devices': (scene) => patch(scene, { can_view_devices: false }),
    'nobody uses it for 12 hours': async () => clock.forward(12 * 3_600),
  },
}

describe('decision 8.6: a live stream ends within a second of its credential, on whichever process', () => {
  for (const [kind, ends] of Object.entries(ways)) {
    for (const [way, end] of Object.entries(ends)) {
      it(`${kind}: ${way}`, async () => {
        await requireWithin(1_000, async () => {
          const organization = await createOrganization(service)
          const viewer = await addViewer(organization)
          const tokens = await connect(service, organization.application)
          const headers = {
            bearer: { authorization: `Bearer ${tokens.access_token}` },
            session: viewer.browser.headers,
          }
          const stream = await open({ ...organization.headers, ...headers }[kind as 'bearer'])
          const other = await createOrganization(service)
          const unconcerned = await open(other.headers[kind as 'bearer'])
          await end({ organization, viewer, tokens })
          const began = performance.now()
          await until(stream.ended, 'the end of the stream', 5)
          const took = performance.now() - began
          // Time ends them all.
          if (!/expires|hours/.test(way)) assert.equal(unconcerned.ended(), false)
          unconcerned.close()
          return took
        })
      })
    }
  }

  it('an administrator who becomes a member keeps the stream only while members see devices', async () => {
    const organization = await createOrganization(service)
    const viewer = await addViewer(organization)
    const scene = { organization, viewer, tokens: { access_token: '', refresh_token: '' } }
    await patch(scene, { role: 'administrator' })
    const stream = await open(viewer.browser.headers)
    await patch(scene, { role: 'member' })
    await sql`select pg_sleep(0.5)`
    assert.equal(stream.ended(), false)
    await patch(scene, { can_view_devices: false })
    await until(stream.ended, 'the end of the stream', 5)
  })

  const losses = {
    'the group is deleted': (group: string) => ['DELETE', `/groups/${group}`] as const,
    'the group loses its roles': (group: string) => ['PUT', `/groups/${group}/roles`, { roles: [] }] as const,
    'they leave the group': (group: string, user: string) => ['DELETE', `/groups/${group}/members/${user}`] as const,
  }
  for (const [way, loss] of Object.entries(losses))
    it(`decision 6.54: who looks by a role of a group stops when ${way}`, async () => {
      const { call, ...organization } = await createOrganization(service)
      const viewer = await addViewer({ call, ...organization })
      const { body: space } = await call('session', 'POST', '/spaces', { name: 'Oslo' })
      const { body: group } = await call('session', 'POST', '/groups', { name: 'Technicians' })
      await call('session', 'PUT', `/groups/${group.id}/members/${viewer.id}`)
      await call('session', 'PUT', `/groups/${group.id}/roles`, { roles: [{ role: 'viewer', space_id: space.id }] })
      await call('session', 'PUT', `/users/${viewer.id}/roles`, { roles: [] })
      const stream = await open(viewer.browser.headers)
      const [method, path, body] = loss(group.id, viewer.id)
      assert.ok((await call('session', method, path, body)).status < 300)
      await until(stream.ended, 'the end of the stream', 5)
    })

  it('a person of two customers who leaves one keeps no stream of it, though the session lasts', async () => {
    const [first, second] = [await createOrganization(service), await createOrganization(service)]
    const viewer = await addViewer(first)
    const stream = await open(viewer.browser.headers)
    await sql`insert into memberships (customer_id, user_id, role, created_at)
      values (${second.customer_id}, ${viewer.id}, 'administrator', now())`
    await first.call('session', 'DELETE', `/users/${viewer.id}`)
    await until(stream.ended, 'the end of the stream', 5)
  })

  it('an open page does not count as use, and the use of another one counts', async () => {
    const organization = await createOrganization(service)
    const { id, browser } = await addViewer(organization)
    const stream = await open(browser.headers)
    const seen = async () => (await sql`select last_seen_at from sessions where user_id = ${id}`)[0]!.last_seen_at
    const before = await seen()
    clock.forward(11 * 3_600)
    await browser.get('/account')
    assert.ok((await seen()) > before)
    clock.forward(2 * 3_600)
    const used = await seen()
    await sql`select pg_sleep(0.7)`
    assert.equal(stream.ended(), false)
    assert.deepEqual(await seen(), used)
    clock.forward(10 * 3_600)
    await until(stream.ended, 'the end of the stream', 5)
  })

  it('a process that no longer listens ends its streams at once, and opens none before it listens again', async () => {
    const organization = await createOrganization(service)
    const stream = await open(organization.headers.bearer)
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = ${listenerApplicationName}`
    await until(stream.ended, 'the end of the stream', 5)
    const next = await open(organization.headers.bearer)
    await revoke(service, organization.application, organization.headers.bearer.authorization!.slice('Bearer '.length))
    await until(next.ended, 'the end of the next one', 5)
  })

  it('an open stream costs no statement while nothing changes', async () => {
    const organization = await createOrganization(service)
    const viewer = await addViewer(organization)
    const kinds = [organization.headers.bearer, organization.headers.api_key, viewer.browser.headers]
    const streams = await Promise.all(kinds.map(open))
    let checks = 0
    const { findBearer, findApiKey, findOpenSession } = elsewhere
    const counted = <Item, Result>(find: (item: Item) => Promise<Result>) => {
      return (item: Item) => {
        checks += 1
        return find(item)
      }
    }
    Object.assign(elsewhere, {
      findBearer: counted(findBearer),
      findApiKey: counted(findApiKey),
      findOpenSession: counted(findOpenSession),
    })
    await sql`select pg_sleep(1.5)`
    assert.equal(checks, 0)
    await sql`select notify_credentials(array(
      select distinct subject from unnest(array[${`client:${organization.application.client_id}`}, ${`user:${viewer.id}`}]) subject))`
    await until(() => checks === 2, 'both are checked')
    Object.assign(elsewhere, { findBearer, findApiKey, findOpenSession })
    for (const stream of streams) {
      assert.equal(stream.ended(), false)
      stream.close()
    }
  })

  it('an export whose credential ends before its first byte is refused as any request', async () => {
    const { headers } = await createOrganization(service)
    const { streamCredentials } = elsewhere
    const watch: typeof streamCredentials.watch = async (credential, end) => {
      end()
      return await streamCredentials.watch(credential, end)
    }
    Object.assign(elsewhere, { streamCredentials: { ...streamCredentials, watch } })
    const response = await otherApp.inject({ url: '/core/v1/organization/devices.csv', headers: headers.api_key })
    Object.assign(elsewhere, { streamCredentials })
    assert.deepEqual([response.statusCode, response.json()], [401, { error: 'Not authorized' }])
    assert.equal(response.headers['content-disposition'], undefined)
  })
})
