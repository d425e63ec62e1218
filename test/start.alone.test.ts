import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { startService, temporaryDataDir } from './support/service.ts'
import { requireWithin } from './support/until.ts'

it('a first start creates a private Postgres and keys that only their owner can read, within 15 s; a second takes 5 s', async () => {
  let folder = ''
  await requireWithin(15_000, async () => {
    folder = join(await temporaryDataDir(), 'made', 'here')
    const first = await startService({ env: { LANDBRIDGE_DATA_DIR: folder } })
    assert.equal(await first.stop(), 0)
    return first.startedIn
  })
  for (const name of ['master.key', 'operator.key', 'postgres/password']) {
    const { mode } = await stat(join(folder, name))
    assert.equal(mode & 0o777, 0o600, name)
  }
  assert.equal((await stat(folder)).mode & 0o007, 0)

  const key = await readFile(join(folder, 'operator.key'), 'utf8')
  await requireWithin(5_000, async () => {
    const second = await startService({ env: { LANDBRIDGE_DATA_DIR: folder } })
    assert.equal(await readFile(join(folder, 'operator.key'), 'utf8'), key)
    const response = await fetch(`${second.ready.public_url}/core/v1/operator/partners`, {
      headers: { authorization: key.trim() },
    })
    assert.equal(response.status, 200)
    assert.equal(await second.stop(), 0)
    return second.startedIn
  })
})
