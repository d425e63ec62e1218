import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeJwt } from 'jose'
import {
  connect,
  exchange,
  openCode,
  postForm,
  refresh,
  registerApplication,
  revoke,
  userinfo,
} from '../../../test/support/applications.ts'
import { walkToCode } from '../../../test/support/consent.ts'
import { startHarness } from '../../../test/support/harness.ts'

const service = await startHarness()
const [ours, theirs] = [await registerApplication(service), await registerApplication(service)]

const replays = async () => {
  const { body } = await service.operator('GET', '/audit-events?type=refresh_token.replayed')
  return body.items.filter(({ application_id }: { application_id: string }) => application_id === ours.client_id).length
}

/** As text, and as a bytea column prints it: the text's bytes, or the random bytes behind the prefix. */
function spellings(secret: string): string[] {
  const random = Buffer.from(secret.slice(secret.indexOf('_') + 1, -6), 'base64url')
  return [secret, Buffer.from(secret).toString('hex'), random.toString('hex')]
}

describe('security of the token endpoint', () => {
  it('PKCE downgrade: a code cannot be exchanged without its verifier, nor with the challenge as one', async () => {
    const code = await walkToCode(service, ours)
    const { code_verifier: _, ...without } = { ...code, grant_type: 'authorization_code' }
    const { client_id, client_secret } = ours
    const reply = await postForm(service, '/oauth/token', { ...without, client_id, client_secret })
    assert.deepEqual([reply.status, reply.body.error], [400, 'invalid_request'])
    const challenge = await service.sql`select code_challenge from authorization_codes order by expires_at desc limit 1`
    const plain = await exchange(service, ours, { ...code, code_verifier: challenge[0]!.code_challenge, grant_id: '' })
    assert.deepEqual([plain.status, plain.body.error], [400, 'invalid_grant'])
  })

  it('code injection: another client’s credentials get nothing of a code, and do it no harm', async () => {
    const code = await openCode(service, ours)
    for (let n = 0; n < 6; n += 1) {
      const stolen = await exchange(service, theirs, { ...code, code_verifier: 'x'.repeat(43) })
      assert.deepEqual([stolen.status, stolen.body.error], [400, 'invalid_grant'])
      assert.equal(stolen.body.error_description, 'The code is unknown.')
    }
    assert.equal((await exchange(service, ours, code)).status, 200)
  })

  it('code injection: a victim’s code in the attacker’s own session fails by its verifier', async () => {
    const [victim, attacker] = [await openCode(service, ours), await openCode(service, ours)]
    const injected = await exchange(service, ours, { ...victim, code_verifier: attacker.code_verifier })
    assert.equal(injected.body.error, 'invalid_grant')
  })

  it('mix-up: the redirect names its issuer, the id_token the same one (RFC 9207)', async () => {
    const { iss, ...code } = await walkToCode(service, ours)
    assert.equal(iss, 'http://landbridge.test')
    const { body } = await exchange(service, ours, { ...code, grant_id: '' })
    assert.equal(decodeJwt(body.id_token).iss, iss)
    const discovery = (await service.app.inject('/.well-known/openid-configuration')).json()
    assert.equal(discovery.issuer, iss)
    assert.equal(discovery.authorization_response_iss_parameter_supported, true)
  })

  it('a token of one application is of no use to another: refresh without effect, revoke without effect', async () => {
    const { access_token, refresh_token } = await connect(service, ours)
    const refreshed = await refresh(service, theirs, refresh_token)
    assert.deepEqual([refreshed.status, refreshed.body.error], [400, 'invalid_grant'])
    for (const token of [access_token, refresh_token]) {
      assert.equal((await revoke(service, theirs, token)).status, 200)
    }
    assert.equal((await userinfo(service, access_token)).status, 200)
    assert.equal((await refresh(service, ours, refresh_token)).status, 200)
  })

  it('replay before client authentication does nothing', async () => {
    const { access_token, refresh_token } = await connect(service, ours)
    await refresh(service, ours, refresh_token)
    service.clock.forward(61)
    const before = await replays()
    const wrongSecret = { ...ours, client_secret: 'lbs_wrong' }
    assert.equal((await refresh(service, wrongSecret, refresh_token)).status, 401)
    const unknown = { ...ours, client_id: '01980000-0000-7000-8000-000000000000' }
    assert.equal((await refresh(service, unknown, refresh_token)).status, 401)
    assert.equal((await refresh(service, theirs, refresh_token)).body.error, 'invalid_grant')
    assert.equal((await userinfo(service, access_token)).status, 200, 'the grant stays')
    assert.equal(await replays(), before)
    // The very same request by the client itself ends it.
    assert.equal((await refresh(service, ours, refresh_token)).body.error, 'invalid_grant')
    assert.equal((await userinfo(service, access_token)).status, 401)
    assert.equal(await replays(), before + 1)
  })

  it('an unknown client, a wrong secret and a disabled application get the same response', async () => {
    const disabled = await registerApplication(service)
    await service.operator('PATCH', `/applications/${disabled.client_id}`, { enabled: false })
    const bodies = new Set<string>()
    for (const client of [
      { ...ours, client_id: '01980000-0000-7000-8000-000000000000' },
      { ...ours, client_secret: 'lbs_wrong' },
      disabled,
    ]) {
      bodies.add((await refresh(service, client, 'x')).raw)
    }
    assert.equal(bodies.size, 1)
  })

  it('decision 6.16 only digests are stored: no issued secret in any table, as text or in a bytea column', async () => {
    const connected = await connect(service, ours)
    await refresh(service, theirs, connected.refresh_token)
    await revoke(service, ours, connected.access_token)
    await service.context.integrationLog.flush()
    const tables = await service.sql<{ name: string }[]>`
      select table_name as name from information_schema.tables where table_schema = 'public'`
    const secrets = [connected.access_token, connected.refresh_token, ours.client_secret]
    const [{ raw } = { raw: '' }] = await service.sql<{ raw: string }[]>`
      select row(${Buffer.from(ours.client_secret)}::bytea)::text as raw`
    assert.ok(
      spellings(ours.client_secret).some((text) => raw.includes(text)),
      'a secret in a bytea column is seen',
    )
    for (const { name } of tables) {
      const [row] = await service.sql`select coalesce(string_agg(t::text, ''), '') as text from ${service.sql(name)} t`
      for (const text of secrets.flatMap(spellings))
        assert.equal(row!.text.includes(text), false, `a secret in ${name}`)
    }
  })

  it('no input causes a 5xx: NUL bytes, lone percent signs, invalid UTF-8, huge values', async () => {
    const values = [
      '%00',
      '%',
      '%ff%fe',
      'a'.repeat(10_000),
      '%F0%9F%98%80',
      "'; drop table grants; --",
      '🙂',
      '\u202e',
    ]
    for (const value of values) {
      for (const name of [
        'grant_type',
        'code',
        'refresh_token',
        'client_id',
        'client_secret',
        'scope',
        'redirect_uri',
      ]) {
        const fields = new URLSearchParams({
          ...{ grant_type: 'refresh_token', refresh_token: 'x', code: 'x', redirect_uri: 'x', code_verifier: 'x' },
          ...{ client_id: ours.client_id, client_secret: ours.client_secret },
        })
        fields.delete(name)
        for (const url of ['/oauth/token', '/oauth/revoke']) {
          const reply = await postForm(service, url, `${fields}&${name}=${value}`)
          assert.ok(reply.status < 500, `${name}=${value} at ${url}: ${reply.raw}`)
        }
      }
    }
  })
})
