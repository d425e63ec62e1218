import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { removeFolder } from '../support/remove-folder.ts'
import { until } from '../support/until.ts'

const file = fileURLToPath(new URL('./fails.ts', import.meta.url))
const temporary = await mkdtemp(join(tmpdir(), 'landbridge-set-up-'))
// Started by root, Postgres runs as another user, who must be able to pass through.
await chmod(temporary, 0o711)
after(() => removeFolder(temporary))

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe('decision 4.7: a test file that ends while it sets up leaves no process', () => {
  for (const how of ['while it starts', 'once it is ready, with its own Postgres', 'because it was killed']) {
    it(how, async () => {
      const flags = ['--disable-warning=ExperimentalWarning']
      const { stdout, status } = spawnSync(process.execPath, [...flags, file, how], {
        encoding: 'utf8',
        env: { ...process.env, TMPDIR: temporary },
      })
      assert.notEqual(status, 0)
      const pid = Number(stdout.split('\n')[0])
      assert.ok(pid > 1, stdout)
      await until(() => !isAlive(pid), 'the service has ended', 10)
      const left = () => execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).includes(temporary)
      await until(() => !left(), 'its Postgres has ended', 20)
    })
  }
})
