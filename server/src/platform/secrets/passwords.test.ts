import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ownLimits } from '../own-limits.ts'
import { hashPassword, standardCost, verifyAgainstNobody, verifyPassword } from './passwords.ts'

describe('decision 6.13: passwords', () => {
  it('argon2id as a PHC string that verifies only its own password', async () => {
    const hash = await hashPassword('correct horse', standardCost)
    assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    assert.equal(await verifyPassword('correct horse', hash), true)
    assert.equal(await verifyPassword('correct horsf', hash), false)
    assert.equal(await verifyPassword('correct horse', 'not a hash'), false)
  })

  it('a hash of an earlier release verifies, at the cost that it names', async () => {
    const hash = '$argon2id$v=19$m=64,t=1,p=1$lWnqWwEVRDq9iVfZAof7XQ$A4lfXyWjfunbKMeRIZGRSl+9UMmpXYLArl39Pk/IQ8I'
    assert.equal(await verifyPassword('correct horse', hash), true)
    for (const other of [` ${hash}`, `${hash}$`, hash.replace('m=64', 'm=65'), hash.replace('t=1', 't=2')])
      assert.equal(await verifyPassword('correct horse', other), false, other)
    const salted = await Promise.all([1, 2].map(() => hashPassword('x', { memory: 64, passes: 1, parallelism: 1 })))
    assert.notEqual(salted[0], salted[1])
    assert.match(salted[0]!, /^\$argon2id\$v=19\$m=64,t=1,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  })

  it('an unknown email costs as much, and has no password', async () => {
    const cost = { memory: 64, passes: 1, parallelism: 1 }
    for (const password of ['nobody', 'x']) assert.equal(await verifyAgainstNobody(password, cost), false)
  })

  it('decision 10.5: few are hashed at once and a bounded number wait; the rest get 503', async () => {
    const cost = { memory: 8_192, passes: 2, parallelism: 1 }
    const { passwordsAtOnce, passwordsWaiting } = ownLimits
    const extra = 20
    const wanted = Array.from({ length: passwordsAtOnce + passwordsWaiting + extra }, () => hashPassword('x', cost))
    const outcomes = await Promise.allSettled(wanted)
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    assert.deepEqual([refused.length, refused[0].status, refused[0].code], [extra, 503, 'overloaded'])
    assert.ok(
      outcomes.slice(0, -extra).every(({ status }) => status === 'fulfilled'),
      'the first to ask',
    )
    assert.ok(await hashPassword('x', cost), 'and afterwards there is room again')
  })
})
