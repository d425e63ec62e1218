import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import {
  connect,
  credentialsOf,
  exchange,
  nextAddress,
  openCode,
  postForm,
  refresh,
  registerApplication,
  userinfo,
} from '../../../../test/support/applications.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { holdLocks, untilWaiting } from '../../../../test/support/locks.ts'
import { digest } from '../../platform/secrets/secrets.ts'

const service = await startHarness()
const application = await registerApplication(service)
const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` })
const token = (fields: Record<string, string> | [string, string][], headers?: Record<string, string>) =>
  postForm(service, '/oauth/token', fields, headers)

type Reply = Awaited<ReturnType<typeof token>>

/** Every error of 7.3 but the 429 has this shape and these headers. */
function assertRefused(reply: Reply, status: number, error: string): void {
  assert.equal(reply.status, status, reply.raw)
  assert.deepEqual(Object.keys(reply.body), ['error', 'error_description'])
  assert.equal(reply.body.error, error)
  assert.ok(reply.body.error_description.length > 0)
  assert.equal(reply.headers['cache-control'], 'no-store')
  assert.equal(reply.headers.pragma, 'no-cache')
  assert.match(String(reply.headers['content-type']), /^application\/json/)
}

const auditTypes = async () =>
  (
    await service.sql<{ type: string }[]>`select type from audit_events where application_id = ${application.client_id}`
  ).map(({ type }) => type)

describe('4.2 token endpoint', () => {
  it('3 code issued → used: tokens issued, with an id_token that the key set verifies', async () => {
    const code = await openCode(service, application, { nonce: 'n-1' })
    const reply = await exchange(service, application, code)
    assert.equal(reply.status, 200, reply.raw)
    assert.equal(reply.headers['cache-control'], 'no-store')
    assert.equal(reply.headers.pragma, 'no-cache')
    const { access_token, refresh_token, id_token, ...rest } = reply.body
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600, scope: 'openid profile email' })
    assert.match(access_token, /^lba_/)
    assert.match(refresh_token, /^lbr_/)

    const keys = (await service.app.inject('/oauth/.well-known/jwks.json')).json()
    const { payload } = await jwtVerify(id_token, createLocalJWKSet(keys), {
      issuer: 'http://landbridge.test',
      audience: application.client_id,
      currentDate: service.clock.now(),
    })
    const seconds = service.clock.now().getTime() / 1000
    assert.equal(payload.nonce, 'n-1')
    assert.equal(payload.iat, seconds)
    assert.equal(payload.exp, seconds + 3600)
    assert.equal(payload.auth_time, seconds)
    assert.equal(payload.sub, application.user_id)
    assert.equal(typeof payload.at_hash, 'string')
  })

  it('2.3 the id_token carries the same claims as userinfo', async () => {
    const { access_token, id_token } = await connect(service, application)
    const { iss, aud, iat, exp, auth_time, at_hash, ...claims } = decodeJwt(id_token)
    assert.deepEqual(claims, (await userinfo(service, access_token)).body)
  })

  it('2.3 an application with ES256 gets ES256', async () => {
    const other = await registerApplication(service, { id_token_alg: 'ES256' })
    assert.equal(decodeProtectedHeader((await connect(service, other)).id_token).alg, 'ES256')
  })

  it('no openid scope: no id_token', async () => {
    const reply = await exchange(service, application, await openCode(service, application, { scope: 'email' }))
    assert.equal(reply.status, 200)
    assert.equal('id_token' in reply.body, false)
    assert.equal(reply.body.scope, 'email')
  })

  it('credentials as HTTP Basic, form-decoded; the same in the body as well is allowed', async () => {
    const { client_id, client_secret } = application
    // Percent-encoding every character is legal, and some clients do it to the ones outside the unreserved set.
    const encoded = [...client_secret].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('')
    for (const body of [{}, { client_id }, { client_id, client_secret }]) {
      const { grant_id: _, ...code } = await openCode(service, application)
      const fields = { grant_type: 'authorization_code', ...code, ...body }
      assert.equal((await token(fields, basic(client_id, encoded))).status, 200)
    }
  })

  it('a charset beside the media type is fine', async () => {
    const { refresh_token } = await connect(service, application)
    const fields = { grant_type: 'refresh_token', refresh_token, ...credentialsOf(application) }
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }
    assert.equal((await token(fields, headers)).status, 200)
  })
})

describe('7.3 token endpoint: 400 invalid_request', () => {
  const all = { grant_type: 'authorization_code', code: 'c', redirect_uri: 'r', code_verifier: 'v' }
  for (const missing of ['grant_type', 'code', 'redirect_uri', 'code_verifier', 'client_id', 'client_secret']) {
    for (const how of ['missing', 'empty'] as const) {
      it(`${missing} ${how}`, async () => {
        const fields: Record<string, string> = { ...all, ...credentialsOf(application) }
        if (how === 'missing') delete fields[missing]
        else fields[missing] = ''
        const reply = await token(fields)
        assertRefused(reply, 400, 'invalid_request')
        assert.match(reply.body.error_description, new RegExp(missing))
      })
    }
  }

  it('refresh_token missing', async () => {
    assertRefused(await token({ grant_type: 'refresh_token', ...credentialsOf(application) }), 400, 'invalid_request')
  })

  it('no client credentials at all', async () => {
    assertRefused(await token({ grant_type: 'refresh_token', refresh_token: 'x' }), 400, 'invalid_request')
  })

  for (const name of ['grant_type', 'code', 'redirect_uri', 'code_verifier', 'client_id', 'client_secret', 'scope']) {
    it(`${name} sent twice`, async () => {
      const grant_type = name === 'scope' ? 'refresh_token' : 'authorization_code'
      const once = Object.entries({ ...all, refresh_token: 'x', scope: 's', ...credentialsOf(application), grant_type })
      const value = once.find(([field]) => field === name)![1]
      assertRefused(await token([...once, [name, value]]), 400, 'invalid_request')
    })
  }

  for (const [type, payload] of [
    ['application/json', JSON.stringify({ grant_type: 'refresh_token' })],
    ['text/plain', 'grant_type=refresh_token'],
    ['multipart/form-data; boundary=x', '--x--'],
    ['', 'grant_type=refresh_token'],
  ] as const) {
    it(`body not form-urlencoded: ${type || 'no content type'}`, async () => {
      const response = await service.app.inject({
        method: 'POST',
        url: '/oauth/token',
        headers: type ? { 'content-type': type } : {},
        payload,
        remoteAddress: nextAddress(),
      })
      assertRefused(
        { status: response.statusCode, body: response.json(), headers: response.headers, raw: '' },
        400,
        'invalid_request',
      )
    })
  }

  it('no body at all', async () => {
    const response = await service.app.inject({ method: 'POST', url: '/oauth/token', remoteAddress: nextAddress() })
    assert.equal(response.statusCode, 400)
    assert.equal(response.json().error, 'invalid_request')
  })

  it('credentials in header and body differ', async () => {
    const { client_id, client_secret } = application
    const fields = { grant_type: 'refresh_token', refresh_token: 'x' }
    for (const body of [{ client_secret: 'other' }, { client_id: 'other' }, { client_id, client_secret: 'other' }]) {
      assertRefused(await token({ ...fields, ...body }, basic(client_id, client_secret)), 400, 'invalid_request')
    }
  })

  it('a body over the limit is refused before it is read', async () => {
    const reply = await token({ grant_type: 'x'.repeat(70_000), ...credentialsOf(application) })
    assertRefused(reply, 413, 'invalid_request')
  })
})

describe('7.3 token endpoint: 401 invalid_client', () => {
  const fields = { grant_type: 'refresh_token', refresh_token: 'x' }
  const { client_id, client_secret } = application
  const unknown = '01980000-0000-7000-8000-000000000000'

  for (const [title, id, secret] of [
    ['unknown client_id', unknown, client_secret],
    ['a client_id that is no id', 'nonsense\0', client_secret],
    ['wrong client_secret', client_id, 'lbs_wrong'],
  ] as const) {
    it(`${title}, in the body: no challenge`, async () => {
      const reply = await token({ ...fields, client_id: id, client_secret: secret })
      assertRefused(reply, 401, 'invalid_client')
      assert.equal(reply.headers['www-authenticate'], undefined)
    })
    it(`${title}, as HTTP Basic: WWW-Authenticate`, async () => {
      const reply = await token(fields, basic(id, secret))
      assertRefused(reply, 401, 'invalid_client')
      assert.equal(reply.headers['www-authenticate'], 'Basic realm="oauth"')
    })
  }

  for (const header of [
    'Basic',
    'Basic !!!',
    `Basic ${btoa('no colon')}`,
    `Basic ${btoa('%zz:%zz')}`,
    'basic \u00ff',
  ]) {
    it(`malformed HTTP Basic: ${JSON.stringify(header)}`, async () => {
      const reply = await token(fields, { authorization: header })
      assertRefused(reply, 401, 'invalid_client')
      assert.equal(reply.headers['www-authenticate'], 'Basic realm="oauth"')
    })
  }

  it('application disabled, even with the right secret', async () => {
    const other = await registerApplication(service)
    const { refresh_token } = await connect(service, other)
    await service.operator('PATCH', `/applications/${other.client_id}`, { enabled: false })
    assertRefused(await refresh(service, other, refresh_token), 401, 'invalid_client')
  })

  it('a rotated secret works until its overlap ends, the new one at once', async () => {
    const other = await registerApplication(service)
    const rotated = await service.operator('POST', `/applications/${other.client_id}/secret`, { overlap_seconds: 60 })
    const next = { ...other, client_secret: rotated.body.client_secret }
    assertRefused(await refresh(service, other, 'x'), 400, 'invalid_grant')
    assertRefused(await refresh(service, next, 'x'), 400, 'invalid_grant')
    service.clock.forward(61)
    assertRefused(await refresh(service, other, 'x'), 401, 'invalid_client')
    assertRefused(await refresh(service, next, 'x'), 400, 'invalid_grant')
  })
})

describe('7.3 token endpoint: 400 invalid_grant, code', () => {
  it('unknown', async () => {
    const code = await openCode(service, application)
    assertRefused(await exchange(service, application, { ...code, code: 'lbc_unknown' }), 400, 'invalid_grant')
  })

  it('3 issued → expired: 60 s elapsed', async () => {
    const [early, late] = [await openCode(service, application), await openCode(service, application)]
    service.clock.forward(59.999)
    assert.equal((await exchange(service, application, early)).status, 200)
    service.clock.forward(0.001)
    assertRefused(await exchange(service, application, late), 400, 'invalid_grant')
  })

  it('3 used → used: presented again, an audit event, and the tokens stay', async () => {
    const code = await openCode(service, application)
    const first = await exchange(service, application, code)
    assertRefused(await exchange(service, application, code), 400, 'invalid_grant')
    assert.equal((await userinfo(service, first.body.access_token)).status, 200)
    assert.ok((await auditTypes()).includes('authorization_code.reused'))
  })

  it('verifier mismatch: the code stays usable, and the fifth wrong verifier spends it', async () => {
    const wrong = 'w'.repeat(43)
    const code = await openCode(service, application)
    for (let n = 0; n < 4; n += 1) {
      assertRefused(await exchange(service, application, { ...code, code_verifier: wrong }), 400, 'invalid_grant')
    }
    assert.equal((await exchange(service, application, code)).status, 200)

    const guessed = await openCode(service, application)
    for (let n = 0; n < 5; n += 1) await exchange(service, application, { ...guessed, code_verifier: wrong })
    assertRefused(await exchange(service, application, guessed), 400, 'invalid_grant')
  })

  it('redirect_uri differs', async () => {
    const code = await openCode(service, application)
    for (const redirect_uri of [`${code.redirect_uri}/`, code.redirect_uri.toUpperCase(), `${code.redirect_uri}?a=b`]) {
      assertRefused(await exchange(service, application, { ...code, redirect_uri }), 400, 'invalid_grant')
    }
    assert.equal((await exchange(service, application, code)).status, 200)
  })

  it('its grant was revoked while it was pending', async () => {
    const code = await openCode(service, application)
    await service.sql`update grants set revoked_at = now() where id = ${code.grant_id}`
    assertRefused(await exchange(service, application, code), 400, 'invalid_grant')
  })

  it('two exchanges that both found the code unused: one wins', async () => {
    const code = await openCode(service, application)
    const release = await holdLocks(
      service.sql,
      (hold) => hold`select from authorization_codes where digest = ${digest(code.code)} for update`,
    )
    const replies = [1, 2].map(() => exchange(service, application, code))
    await untilWaiting(service.sql, replies.length)
    await release()
    const statuses = (await Promise.all(replies)).map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [200, 400])
  })
})

describe('7.3 token endpoint: 400 unsupported_grant_type', () => {
  for (const grant_type of [
    'password',
    'client_credentials',
    'implicit',
    'AUTHORIZATION_CODE',
    'authorization_code ',
  ]) {
    it(JSON.stringify(grant_type), async () => {
      assertRefused(await token({ grant_type, ...credentialsOf(application) }), 400, 'unsupported_grant_type')
    })
  }
})

describe('decision 6.19 order: address limit → form → credentials → client → client limit → grant_type → parameters → token', () => {
  it('a bad grant_type is not reported to an unknown client', async () => {
    assertRefused(await token({ grant_type: 'password', client_id: 'x', client_secret: 'y' }), 401, 'invalid_client')
  })

  it('a bad form is reported before bad credentials', async () => {
    assertRefused(
      await token([
        ['client_id', 'x'],
        ['client_id', 'y'],
        ['client_secret', 'z'],
      ]),
      400,
      'invalid_request',
    )
  })
})
