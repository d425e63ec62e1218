import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startNameServer } from '../../../test/support/name-server.ts'
import { createTextLookUp } from './text-records.ts'

const server = await startNameServer()
const lookUp = createTextLookUp({ nameServers: [server.address], milliseconds: 1_500 })

describe('decision 6.45: TXT records', () => {
  it('come as text, whatever the number of their parts', async () => {
    const long = 'x'.repeat(300)
    server.zone.set('a.acme.com', ['one', long])
    assert.deepEqual(await lookUp('a.acme.com'), ['one', long])
  })

  it('a record that was just added is seen at once', async () => {
    assert.equal(await lookUp('new.acme.com'), 'missing')
    server.zone.set('new.acme.com', ['there'])
    assert.deepEqual(await lookUp('new.acme.com'), ['there'])
    server.zone.set('new.acme.com', ['changed'])
    assert.deepEqual(await lookUp('new.acme.com'), ['changed'])
  })

  it('no name, no record and a CNAME to itself are missing records', async () => {
    server.zone.set('empty.acme.com', []).set('loop.acme.com', 'loop')
    for (const name of ['nothing.acme.com', 'empty.acme.com', 'loop.acme.com']) {
      assert.equal(await lookUp(name), 'missing', name)
    }
  })

  it('a refusal, silence, garbage and a forged response are no answer, within the deadline', async () => {
    for (const kind of ['refused', 'silent', 'garbage', 'forged'] as const) {
      server.zone.set(`${kind}.acme.com`, kind)
      const before = Date.now()
      assert.equal(await lookUp(`${kind}.acme.com`), 'unreachable', kind)
      assert.ok(Date.now() - before < 3_000, kind)
    }
  })

  it('a response of 60 KiB is read over TCP; more does not fit into DNS', async () => {
    server.zone.set(
      'huge.acme.com',
      Array.from({ length: 230 }, () => 'y'.repeat(250)),
    )
    assert.equal((await lookUp('huge.acme.com')).length, 230)
  })
})
