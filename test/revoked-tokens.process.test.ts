// CVE-2026-9802: what was revoked or used up stays so, after kill -9 and in a restored backup.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { post, refreshAt, revokeAt, userinfoAt } from './support/calls.ts'
import { authorizePath, walkOverNetwork } from './support/consent.ts'
import { Browser } from './support/form-browser.ts'
import { startService, temporaryDataDir } from './support/service.ts'

const program = fileURLToPath(new URL('../server/landbridge.js', import.meta.url))

async function landbridge(...words: string[]): Promise<void> {
  const { PATH = '', HOME = '' } = process.env
  const options = { env: { PATH, HOME, TMPDIR: tmpdir() }, timeout: 120_000 }
  await promisify(execFile)(process.execPath, [program, ...words], options)
}

it('CVE-2026-9802: revoked and used tokens, codes and sessions after kill -9, and in a restored backup', async () => {
  const folder = await temporaryDataDir()
  const [original, backup, copy] = [join(folder, 'original'), join(folder, 'backup'), join(folder, 'copy')]
  const env = { LANDBRIDGE_LAB: 'true' }
  let service = await startService({ env: { ...env, LANDBRIDGE_DATA_DIR: original } })
  const lab = JSON.parse(await readFile(join(original, 'lab.json'), 'utf8'))

  const open = async (base: string) => {
    const code_verifier = randomBytes(32).toString('base64url')
    const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
    const start = `${base}${authorizePath(lab, { code_challenge })}`
    const { url } = await walkOverNetwork(start, lab, { until: lab.redirect_uri })
    const { client_id, client_secret, redirect_uri } = lab
    const fields = {
      grant_type: 'authorization_code',
      code: url.searchParams.get('code')!,
      code_verifier,
      redirect_uri,
    }
    const exchange = { ...fields, client_id, client_secret }
    const { status, body } = await post(`${base}/oauth/token`, exchange)
    assert.equal(status, 200, JSON.stringify(body))
    return { exchange, chain: { client_id, client_secret, refresh_token: body.refresh_token as string } }
  }

  let base = service.ready.public_url
  const { exchange, chain } = await open(base)
  const rotated = await refreshAt(base, chain)
  assert.equal(rotated.status, 200)
  const newest = { ...chain, refresh_token: rotated.body.refresh_token }
  assert.equal((await revokeAt(base, chain, newest.refresh_token)).status, 200)

  const signIn = async () => {
    const browser = new Browser('network', { host: new URL(base).host })
    assert.equal((await browser.signIn(lab)).status, 303)
    return { browser, cookie: browser.headers.cookie }
  }
  /** The cookie that a browser had, from anywhere: a session is bound to the host, not to its port. */
  const replay = async (cookie: string) => {
    const { status, headers } = await fetch(`${base}/account`, { redirect: 'manual', headers: { cookie } })
    return [status, headers.get('location')]
  }
  const [left, kept] = [await signIn(), await signIn()]
  assert.deepEqual(await replay(left.cookie), [200, null])
  await left.browser.post('/sign-out', {})

  const expectRefused = async () => {
    assert.deepEqual(await replay(left.cookie), [303, '/sign-in?return_to=/account'])
    assert.deepEqual(await replay(kept.cookie), [200, null], 'one that was not signed out goes on')
    for (const used of [chain, newest]) assert.equal((await refreshAt(base, used)).status, 400)
    assert.equal((await post(`${base}/oauth/token`, exchange)).status, 400)
    assert.equal((await userinfoAt(base, rotated.body.access_token)).status, 401)
  }
  await expectRefused()
  await service.kill()
  service = await startService({ env: { ...env, LANDBRIDGE_DATA_DIR: original } })
  base = service.ready.public_url
  await expectRefused()

  await landbridge('backup', backup, '--data-dir', original)
  await service.stop()
  await landbridge('restore', backup, '--data-dir', copy)
  service = await startService({ env: { ...env, LANDBRIDGE_DATA_DIR: copy } })
  base = service.ready.public_url
  await expectRefused()
  assert.ok((await open(base)).chain.refresh_token, 'and a new connection works')
  await service.stop()
})
