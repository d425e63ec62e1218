import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startHarness } from '../../../../../test/support/harness.ts'
import { operatorKey } from '../../../../../test/support/keys.ts'

const service = await startHarness()

describe('operator API: applications', () => {
  let partnerId = ''
  before(async () => {
    const admin = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
    partnerId = (await service.operator('POST', '/partners', { name: 'Acme', portal_domain: null, admin })).body.id
  })
  const register = (more: object = {}) =>
    service.operator('POST', `/partners/${partnerId}/applications`, {
      name: 'App',
      redirect_uris: ['https://app.example.com/cb'],
      ...more,
    })
  /** What the token endpoint says of a secret: an unknown code is judged only once its client is authenticated. */
  const accepts = async (client_id: string, client_secret: string) => {
    const code = { code: 'lbc_unknown', code_verifier: 'v'.repeat(43), redirect_uri: 'https://app.example.com/cb' }
    const response = await service.app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `${new URLSearchParams({ grant_type: 'authorization_code', ...code, client_id, client_secret })}`,
    })
    const outcome = `${response.statusCode} ${response.json().error}`
    assert.ok(['400 invalid_grant', '401 invalid_client'].includes(outcome), outcome)
    return outcome === '400 invalid_grant'
  }

  it('2.1 an application gets an id and a secret that is returned once; RS256 by default', async () => {
    const { status, body } = await register()
    assert.equal(status, 201)
    assert.match(body.client_secret, /^lbs_/)
    assert.equal(body.id_token_alg, 'RS256')
    assert.equal(body.enabled, true)
    assert.ok(await accepts(body.client_id, body.client_secret))
    assert.ok(!(await accepts(body.client_id, `${body.client_secret}x`)))
    const read = await service.operator('GET', `/applications/${body.client_id}`)
    assert.equal(read.status, 200)
    const { client_secret, ...rest } = body
    assert.deepEqual(read.body, { ...rest, active_grants: 0 })
    assert.ok(!JSON.stringify(read.body).includes(client_secret))
    assert.equal((await register({ id_token_alg: 'ES256' })).body.id_token_alg, 'ES256')
  })

  it('decision 6.52: what an application asks for is stored with reasons, and returned to operator and partner', async () => {
    assert.equal((await register()).body.requested_permissions, null, 'everything, as the contract says')
    const devices = { level: 'read', reason: 'Shows which rooms are free.' }
    const none = { level: 'none', reason: 'Not needed.' }
    const { status, body } = await register({ requested_permissions: { audit: none, devices } })
    assert.deepEqual([status, body.requested_permissions], [201, { devices }])
    const path = `/applications/${body.client_id}`
    const changed = await service.operator('PATCH', path, { requested_permissions: { people: devices, spaces: none } })
    assert.deepEqual(changed.body.requested_permissions, { people: devices })
    const renamed = await service.operator('PATCH', path, { name: 'App renamed' })
    assert.deepEqual(renamed.body.requested_permissions, { people: devices }, 'what is absent stays')
    const all = await service.operator('PATCH', path, { requested_permissions: null })
    assert.equal(all.body.requested_permissions, null)
    const nothing = await service.operator('PATCH', path, { requested_permissions: {} })
    assert.deepEqual(nothing.body.requested_permissions, {})
    assert.deepEqual((await service.operator('GET', path)).body.requested_permissions, {})
    const events = await service.sql<{ asked: unknown }[]>`
      select details::jsonb -> 'requested_permissions' as asked from audit_events
      where application_id = ${body.client_id} and details::jsonb ? 'requested_permissions' order by id`
    assert.deepEqual(
      events.map(({ asked }) => asked),
      [['devices: read'], ['people: read'], null, []],
    )
  })

  for (const [why, asked, field] of [
    ['an unknown area', { doors: { level: 'read', reason: 'x' } }, 'requested_permissions.doors'],
    [
      'an area that only people have',
      { integrations: { level: 'manage', reason: 'x' } },
      'requested_permissions.integrations',
    ],
    ['an unknown level', { devices: { level: 'write', reason: 'x' } }, 'requested_permissions.devices.level'],
    ['a level of another area', { audit: { level: 'manage', reason: 'x' } }, 'requested_permissions.audit.level'],
    ['no reason', { devices: { level: 'read' } }, 'requested_permissions.devices.reason'],
    ['an empty reason', { devices: { level: 'read', reason: ' ' } }, 'requested_permissions.devices.reason'],
    ['a reason of two lines', { devices: { level: 'read', reason: 'a\nb' } }, 'requested_permissions.devices.reason'],
    ['a long reason', { devices: { level: 'read', reason: 'a'.repeat(201) } }, 'requested_permissions.devices.reason'],
    ['a list', [], 'requested_permissions'],
  ] as const) {
    it(`decision 6.52: ${why} in requested_permissions → 422 that names it`, async () => {
      const { status, body } = await register({ requested_permissions: asked })
      assert.equal(status, 422)
      assert.ok(
        body.details.some((problem: { field: string }) => problem.field === field),
        JSON.stringify(body.details),
      )
    })
  }

  it('2.1 redirect URIs are stored byte for byte', async () => {
    const uris = [
      'https://APP.example.com:443/cb/?q=%7e&Q=~',
      'http://127.0.0.1:4711/cb',
      'http://localhost/cb',
      'http://[::1]:9/',
    ]
    const { body } = await register({ redirect_uris: uris })
    assert.deepEqual((await service.operator('GET', `/applications/${body.client_id}`)).body.redirect_uris, uris)
  })

  for (const [why, uri] of [
    ['relative', '/cb'],
    ['with a fragment', 'https://app.example.com/cb#x'],
    ['with an empty fragment', 'https://app.example.com/cb#'],
    ['http beyond loopback', 'http://app.example.com/cb'],
    ['http on a host that looks like loopback', 'http://127.0.0.1.example.com/cb'],
    ['of another scheme', 'javascript:alert(1)'],
    ['with credentials', 'https://user@app.example.com/cb'],
    ['with a space', 'https://app.example.com/a b'],
    ['with a backslash', 'https://app.example.com\\@evil.example/cb'],
    ['without a host', 'https:///cb'],
    ['beyond ASCII', 'https://äpp.example.com/cb'],
    ['empty', ''],
  ] as const) {
    it(`2.1 a redirect URI ${why} → 422 that names it`, async () => {
      const refused = await register({ redirect_uris: ['https://ok.example.com/', uri] })
      assert.equal(refused.status, 422)
      assert.deepEqual(
        refused.body.details.map(({ field }: { field: string }) => field),
        ['redirect_uris.1'],
      )
    })
  }

  it('2.1 no, repeated or too many redirect URIs → 422', async () => {
    const many = Array.from({ length: 51 }, (_, n) => `https://app.example.com/${n}`)
    for (const redirect_uris of [[], many, ['https://a.example/', 'https://a.example/'], 'https://a.example/', [7]]) {
      assert.equal((await register({ redirect_uris })).status, 422)
    }
  })

  it('an unknown partner → 404, an unknown field or algorithm → 422', async () => {
    const input = { name: 'App', redirect_uris: ['https://a.example/'] }
    const nobody = '00000000-0000-7000-8000-000000000000'
    assert.equal((await service.operator('POST', `/partners/${nobody}/applications`, input)).status, 404)
    assert.equal((await service.operator('GET', `/partners/${nobody}/applications`)).status, 404)
    assert.equal((await service.operator('GET', `/applications/${nobody}`)).status, 404)
    assert.equal((await service.operator('POST', `/applications/${nobody}/secret`, {})).status, 404)
    assert.equal((await register({ id_token_alg: 'HS256' })).status, 422)
    assert.equal((await register({ colour: 'red' })).status, 422)
  })

  it('applications are listed, all and by partner, page by page', async () => {
    const all: string[] = []
    for (let after = ''; ; ) {
      const { body } = await service.operator('GET', `/applications?limit=2${after && `&after=${after}`}`)
      all.push(...body.items.map(({ client_id }: { client_id: string }) => client_id))
      if (!body.next) break
      after = body.next
    }
    const ofPartner = await service.operator('GET', `/partners/${partnerId}/applications?limit=100`)
    assert.ok(all.length > 2)
    assert.deepEqual(
      ofPartner.body.items.map(({ client_id }: { client_id: string }) => client_id),
      all,
    )
  })

  describe('2.1 secret rotation', () => {
    it('decision 6.22 both secrets are valid during the overlap, 24 h by default', async () => {
      const { client_id, client_secret: first } = (await register()).body
      const rotated = await service.operator('POST', `/applications/${client_id}/secret`)
      assert.equal(rotated.status, 201)
      assert.deepEqual(Object.keys(rotated.body).sort(), ['client_secret', 'previous_expires_at'])
      const overlap = Date.parse(rotated.body.previous_expires_at) - service.clock.now().getTime()
      assert.equal(overlap, 86_400_000)
      assert.ok(await accepts(client_id, first))
      assert.ok(await accepts(client_id, rotated.body.client_secret))
      service.clock.forward(86_399)
      assert.ok(await accepts(client_id, first))
      service.clock.forward(1)
      assert.ok(!(await accepts(client_id, first)))
      assert.ok(await accepts(client_id, rotated.body.client_secret))
    })

    it('an overlap of 0 expires the leaked secret at once', async () => {
      const { client_id, client_secret: leaked } = (await register()).body
      const { body } = await service.operator('POST', `/applications/${client_id}/secret`, { overlap_seconds: 0 })
      assert.ok(!(await accepts(client_id, leaked)))
      assert.ok(await accepts(client_id, body.client_secret))
    })

    it('a second rotation within the overlap leaves two valid, not three', async () => {
      const { client_id, client_secret: first } = (await register()).body
      const second = (await service.operator('POST', `/applications/${client_id}/secret`, {})).body.client_secret
      const third = (await service.operator('POST', `/applications/${client_id}/secret`, {})).body.client_secret
      assert.deepEqual(await Promise.all([first, second, third].map((secret) => accepts(client_id, secret))), [
        false,
        true,
        true,
      ])
    })

    it('eight rotations at once leave two valid', async () => {
      const { client_id } = (await register()).body
      const rotated = await Promise.all(
        Array.from({ length: 8 }, () => service.operator('POST', `/applications/${client_id}/secret`, {})),
      )
      const valid = await Promise.all(rotated.map(({ body }) => accepts(client_id, body.client_secret)))
      assert.equal(valid.filter(Boolean).length, 2)
    })

    it('a wrong overlap → 422', async () => {
      const { client_id } = (await register()).body
      for (const overlap_seconds of [-1, 1.5, '60', 86_400 * 31]) {
        const { status } = await service.operator('POST', `/applications/${client_id}/secret`, { overlap_seconds })
        assert.equal(status, 422)
      }
    })
  })

  describe('3 an application is disabled by the operator', () => {
    const connect = async (clientId: string, customers: number) => {
      const { sql, clock } = service
      for (let n = 0; n < customers; n += 1) {
        const body = { partner_id: partnerId, name: `Customer ${n}` }
        const { id } = (await service.operator('POST', '/customers', body)).body
        await sql`insert into approvals (client_id, customer_id, approved_at) values (${clientId}, ${id}, ${clock.now()})`
        await sql`insert into grants (id, client_id, customer_id, created_at)
                  values (gen_random_uuid(), ${clientId}, ${id}, ${clock.now()})`
      }
    }
    const active = async (clientId: string) =>
      (await service.operator('GET', `/applications/${clientId}`)).body.active_grants

    it('→ every grant revoked, approvals stay, audit events; enabling leaves them revoked', async () => {
      const { client_id } = (await register()).body
      await connect(client_id, 3)
      assert.equal(await active(client_id), 3)
      const disabled = await service.operator('PATCH', `/applications/${client_id}`, { enabled: false })
      assert.equal(disabled.status, 200)
      assert.equal(disabled.body.enabled, false)
      assert.equal(disabled.body.revoked_grants, 3)
      const enabled = await service.operator('PATCH', `/applications/${client_id}`, { enabled: true })
      assert.equal(enabled.body.enabled, true)
      assert.equal(enabled.body.revoked_grants, 0)
      assert.equal(await active(client_id), 0)
      const [approvals] = await service.sql`select count(*)::int from approvals where client_id = ${client_id}`
      assert.equal(approvals!.count, 3)
      const { body } = await service.operator('GET', `/audit-events?application_id=${client_id}`)
      assert.deepEqual(
        body.items.map(({ type }: { type: string }) => type),
        [
          'application.enabled',
          'grant.revoked',
          'grant.revoked',
          'grant.revoked',
          'application.disabled',
          'application.created',
        ],
      )
    })

    it('a refused change keeps the grants', async () => {
      const { client_id } = (await register()).body
      await connect(client_id, 1)
      const body = { enabled: false, redirect_uris: ['nonsense'] }
      assert.equal((await service.operator('PATCH', `/applications/${client_id}`, body)).status, 422)
      assert.equal(await active(client_id), 1)
    })

    it('an empty, unknown or wrong change → 422, an unknown application → 404', async () => {
      const { client_id } = (await register()).body
      for (const body of [{}, { enabled: 'no' }, { client_secret: 'x' }, { redirect_uris: [] }]) {
        assert.equal((await service.operator('PATCH', `/applications/${client_id}`, body)).status, 422)
      }
      const nobody = '00000000-0000-7000-8000-000000000000'
      assert.equal((await service.operator('PATCH', `/applications/${nobody}`, { name: 'X' })).status, 404)
    })

    it('decision 8.7 If-Match: of two changes of the same version, the second → 412', async () => {
      const { client_id } = (await register()).body
      const url = `/core/v1/operator/applications/${client_id}`
      const { headers } = await service.operator('GET', `/applications/${client_id}`)
      const change = (name: string) =>
        service.app.inject({
          method: 'PATCH',
          url,
          headers: { authorization: operatorKey, 'if-match': String(headers.etag) },
          payload: { name },
        })
      const responses = await Promise.all([change('One'), change('Two')])
      assert.deepEqual(responses.map(({ statusCode }) => statusCode).toSorted(), [200, 412])
      const winner = responses.find(({ statusCode }) => statusCode === 200)!
      const read = await service.operator('GET', `/applications/${client_id}`)
      assert.equal(read.body.name, winner.json().name)
      assert.equal(read.headers.etag, winner.headers.etag)
    })
  })
})
