// What a device remembers of its commands survives its process: with every store that promises it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe, it } from 'node:test'
import { fileCommandStore } from '../../client/src/file.ts'
import { type CommandStore, memoryCommandStore, type RememberedCommand } from '../../client/src/index.ts'
import { sqliteCommandStore } from '../../client/src/sqlite.ts'

const folder = await mkdtemp(join(tmpdir(), 'landbridge-commands-'))
after(() => rm(folder, { recursive: true, force: true }))

const started = (id: string): RememberedCommand => ({ id, name: 'work', isSettled: false, resumed: 0 })
const settled = (id: string): RememberedCommand => ({ ...started(id), isSettled: true, outcome: { status: 'done' } })
const idsOf = async (store: CommandStore, device = 'd') => (await store.read(device)).map(({ id }) => id)

const durable: Record<string, { module: string; name: string; open(path: string): Promise<CommandStore> }> = {
  file: { module: 'file', name: 'fileCommandStore', open: fileCommandStore },
  sqlite: { module: 'sqlite', name: 'sqliteCommandStore', open: async (path) => sqliteCommandStore(path) },
}

describe('partner kit: command stores', () => {
  for (const [kind, open] of Object.entries({
    memory: async () => memoryCommandStore(),
    file: () => fileCommandStore(join(folder, 'order')),
    sqlite: async () => sqliteCommandStore(join(folder, 'order.sqlite')),
  })) {
    it(`${kind}: by id, the last 64 per device, and every one that is not settled`, async () => {
      const store = await open()
      await store.write('d', started('first'))
      for (let n = 0; n < 80; n += 1) await store.write('d', settled(`c${n}`))
      await store.write('e', settled('of another'))
      const ids = await idsOf(store)
      assert.deepEqual([ids.length, ids[0], ids[1], ids.at(-1)], [64, 'first', 'c17', 'c79'])
      assert.deepEqual(await store.unsettled(), [{ deviceId: 'd', command: started('first') }])
      await store.write('d', settled('first'))
      assert.deepEqual([await store.unsettled(), (await idsOf(store)).length], [[], 64])
      assert.deepEqual(await idsOf(store, 'e'), ['of another'])
      await store.close()
    })
  }

  for (const [kind, { module, name, open }] of Object.entries(durable)) {
    it(`${kind}: a process that is killed leaves every command it was told is kept`, async () => {
      const path = join(folder, `killed-${kind}`)
      const script = `
        import { ${name} } from ${JSON.stringify(new URL(`../../client/src/${module}.ts`, import.meta.url).href)}
        const store = await ${name}(${JSON.stringify(path)})
        for (let n = 0; ; n += 1) {
          await store.write('d', { id: 'c' + n, name: 'work', isSettled: false, resumed: 0 })
          console.log(n)
        }`
      const child = spawn(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      )
      let kept = 0
      for await (const line of createInterface(child.stdout)) {
        kept = Number(line) + 1
        if (kept === 40) child.kill('SIGKILL')
      }
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      const store = await open(path)
      const ids = await idsOf(store)
      assert.ok(ids.length >= kept, `${ids.length} of ${kept}`)
      assert.deepEqual(
        ids.slice(0, kept),
        Array.from({ length: kept }, (_, n) => `c${n}`),
      )
      await store.write('d', settled('next'))
      await store.close()
      await assert.rejects(store.write('d', settled('late')), { code: 'closed' })
    })
  }

  it('file: half a line is nobody’s, secrets go with the outcome, only the owner reads it, one process at a time', async () => {
    const path = join(folder, 'file')
    const first = await fileCommandStore(path)
    await first.write('d', { ...started('a'), parameters: { pin: 'secret-pin' } })
    const file = join(path, 'commands.jsonl')
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.match(await readFile(file, 'utf8'), /secret-pin/)
    await assert.rejects(fileCommandStore(path), /used by another process/)
    await first.write('d', settled('a'))
    assert.doesNotMatch(await readFile(file, 'utf8'), /secret-pin/)
    await first.close()
    await appendFile(file, '{"device":"d","command":{"id":"half')
    const second = await fileCommandStore(path)
    assert.deepEqual(await idsOf(second), ['a'])
    await Promise.all(Array.from({ length: 3_000 }, (_, n) => second.write(`d${n % 3}`, settled(`c${n}`))))
    await second.write('d', settled('b'))
    assert.ok((await readFile(file, 'utf8')).split('\n').length < 1_500, 'written anew')
    await second.close()
    const third = await fileCommandStore(path)
    assert.deepEqual([await idsOf(third), (await idsOf(third, 'd1')).length], [['a', 'b'], 64])
    await third.close()
    assert.deepEqual(await readdir(path), ['commands.jsonl'])
  })
})
