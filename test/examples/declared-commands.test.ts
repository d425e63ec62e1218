import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { labCommands } from '../../server/src/lab-model.ts'

describe('examples/controlled-fleet', () => {
  // By its text: in its folder the kit is installed only where it was copied to.
  it('declares the commands that the lab’s model declares', async () => {
    const file = new URL('../../examples/controlled-fleet/commands.js', import.meta.url)
    const text = await readFile(file, 'utf8')
    const [, declared] = /defineCommands\((\[.*\])\)/s.exec(text)!
    const data = `data:text/javascript,export default ${encodeURIComponent(declared!)}`
    assert.deepEqual((await import(data)).default, labCommands)
  })
})
