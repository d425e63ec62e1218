import assert from 'node:assert/strict'
import { generateKeyPairSync, verify } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { constants, getPriority } from 'node:os'
import { describe, it } from 'node:test'
import { isQuick, orderSize, SigningThreads } from './signing-threads.ts'

const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const threads = new SigningThreads(3)
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })

describe('decision 6.18 signing off the main thread', () => {
  it('2,000 inputs at once: each gets its own signature, short and long ECDSA integers among them', async () => {
    const inputs = Array.from({ length: 2_000 }, (_, n) => `header.claims-${n}`)
    const signatures = await Promise.all(inputs.map((input) => threads.sign(elliptic.privateKey, input)))
    for (const [index, signature] of signatures.entries()) {
      const key = { key: elliptic.publicKey, dsaEncoding: 'ieee-p1363' as const }
      assert.ok(verify('sha256', Buffer.from(inputs[index]!), key, Buffer.from(signature, 'base64url')))
    }
  })

  it('two keys at the same time', async () => {
    const [es, rs] = await Promise.all([threads.sign(elliptic.privateKey, 'one'), threads.sign(rsa.privateKey, 'two')])
    assert.equal(Buffer.from(es, 'base64url').length, 64)
    assert.ok(verify('sha256', Buffer.from('two'), rsa.publicKey, Buffer.from(rs, 'base64url')))
  })

  it('keys in turns: each input is signed with its own key', async () => {
    for (let n = 0; n < 12; n += 1) {
      const pairs = n % 2 === 0 ? [elliptic, rsa] : [rsa, elliptic]
      const signatures = await Promise.all(pairs.map(({ privateKey }) => threads.sign(privateKey, `input-${n}`)))
      for (const [index, { publicKey }] of pairs.entries()) {
        const key = { key: publicKey, dsaEncoding: 'ieee-p1363' as const }
        const signature = Buffer.from(signatures[index]!, 'base64url')
        assert.ok(verify('sha256', Buffer.from(`input-${n}`), key, signature))
      }
    }
  })

  it('more keys than a thread remembers', async () => {
    const single = new SigningThreads(1)
    const pairs = Array.from({ length: 10 }, () => generateKeyPairSync('ec', { namedCurve: 'P-256' }))
    for (const { privateKey, publicKey } of [...pairs, ...pairs]) {
      // So many that none is signed in the main thread.
      const all = await Promise.all(Array.from({ length: 20 }, () => single.sign(privateKey, 'one')))
      const signature = Buffer.from(all.at(-1)!, 'base64url')
      assert.ok(verify('sha256', Buffer.from('one'), { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature))
    }
  })

  it('few callers are shared out among all threads, many in orders that are worth a message', () => {
    const sizes = (waiting: number, count: number) =>
      [rsa, elliptic].map(({ privateKey }) => orderSize(privateKey, waiting, count))
    assert.deepEqual(sizes(1, 16), [1, 1])
    assert.deepEqual(sizes(16, 16), [1, 1])
    assert.deepEqual(sizes(100, 16), [7, 7])
    assert.deepEqual(sizes(512, 16), [8, 16])
    assert.deepEqual(sizes(64, 2), [8, 16])
    assert.deepEqual(sizes(512, 4), [32, 16])
    assert.deepEqual(sizes(10_000, 1), [32, 16])
  })

  it('decision 9.22: a few ECDSA signatures need no thread; many, or one of RSA, do', async () => {
    const none = new SigningThreads(0)
    const sign = (count: number) => Array.from({ length: count }, () => none.sign(elliptic.privateKey, 'one'))
    for (const signature of await Promise.all(sign(16))) {
      const key = { key: elliptic.publicKey, dsaEncoding: 'ieee-p1363' as const }
      assert.ok(verify('sha256', Buffer.from('one'), key, Buffer.from(signature, 'base64url')))
    }
    await assert.rejects(none.sign(elliptic.publicKey, 'one'))
    void none.sign(rsa.privateKey, 'waits for ever')
    await none.sign(elliptic.privateKey, 'behind it')
    assert.deepEqual([isQuick(elliptic.privateKey, 17), isQuick(rsa.privateKey, 1)], [false, false])
  })

  it('callers of ECDSA do not wait for orders of RSA, even when they are too many for the main thread', async () => {
    const single = new SigningThreads(1)
    const many = () => Promise.all(Array.from({ length: 64 }, () => single.sign(elliptic.privateKey, 'one')))
    // Starting a thread takes as long as many signatures.
    await many()
    let waiting = 300
    const others = Array.from({ length: waiting }, async () => {
      await single.sign(rsa.privateKey, 'two')
      waiting -= 1
    })
    await many()
    assert.ok(waiting > 250, `${waiting} of 300 still wait`)
    await Promise.all(others)
  })

  it('a caller of one key does not wait behind all callers of another of its kind', async () => {
    const single = new SigningThreads(1)
    const next = generateKeyPairSync('rsa', { modulusLength: 2048 })
    let waiting = 200
    const others = Array.from({ length: waiting }, async () => {
      await single.sign(rsa.privateKey, 'one')
      waiting -= 1
    })
    await single.sign(next.privateKey, 'two')
    assert.ok(waiting > 100, `${waiting} of 200 still wait`)
    await Promise.all(others)
  })

  it('signing threads have a lower priority than the main thread', { skip: process.platform !== 'linux' }, async () => {
    await threads.sign(rsa.privateKey, 'one')
    const nice = readdirSync('/proc/self/task').map((id) => getPriority(Number(id)))
    assert.ok(Math.max(...nice) > getPriority() || getPriority() === constants.priority.PRIORITY_LOW, nice.join(' '))
  })

  it('a key that cannot sign fails its own callers only', async () => {
    const all = await Promise.allSettled(Array.from({ length: 20 }, () => threads.sign(elliptic.publicKey, 'one')))
    assert.ok(all.every(({ status }) => status === 'rejected'))
    await assert.rejects(threads.sign(rsa.publicKey, 'one'))
    assert.equal(Buffer.from(await threads.sign(elliptic.privateKey, 'one'), 'base64url').length, 64)
  })
})
