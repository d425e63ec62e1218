import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { WaitingPolls } from './waiting-polls.ts'

describe('polls that wait', () => {
  it('end when their key is woken, and no other', async () => {
    const polls = new WaitingPolls()
    const [a, b] = [polls.wait('a', 5_000), polls.wait('b', 5_000)]
    polls.wake('a')
    polls.wake('nobody')
    assert.equal(await a.ended, 'woken')
    assert.equal(polls.size, 1)
    b.leave()
    assert.equal(await b.ended, 'gone')
    assert.equal(polls.size, 0)
  })

  it('end in time, however long others wait', async () => {
    const polls = new WaitingPolls()
    const began = performance.now()
    const long = polls.wait('long', 60_000)
    const [none, short] = [polls.wait('none', 0), polls.wait('short', 600)]
    assert.equal(await none.ended, 'over')
    assert.ok(performance.now() - began < 600)
    assert.equal(await short.ended, 'over')
    const took = performance.now() - began
    assert.ok(took >= 599 && took < 1_500, `${took} ms`)
    assert.equal(polls.size, 1)
    polls.close()
    assert.equal(await long.ended, 'over')
  })

  it('a later poll of the same key replaces the one before, which cannot end the later one', async () => {
    const polls = new WaitingPolls()
    const first = polls.wait('a', 5_000)
    const second = polls.wait('a', 5_000)
    const third = polls.wait('a', 5_000)
    second.replaceOthers()
    assert.equal(await first.ended, 'replaced')
    first.leave()
    first.replaceOthers()
    assert.equal(polls.size, 2, 'a third, which may have the wrong key, neither ends the second nor is ended by it')
    third.leave()
    polls.wakeAll()
    assert.equal(await second.ended, 'woken')
  })

  it('wait again after all have ended; a blocked process ends none twice and forgets none', async () => {
    const polls = new WaitingPolls()
    polls.wait('a', 0)
    await sleep(600)
    assert.equal(polls.size, 0)
    const again = Array.from({ length: 50 }, (_, index) => polls.wait(`${index}`, index * 20))
    const until = performance.now() + 700
    while (performance.now() < until);
    assert.deepEqual(new Set(await Promise.all(again.map(({ ended }) => ended))), new Set(['over']))
    assert.equal(polls.size, 0)
  })

  it('of many, those that begin within the same second are gathered; of few, none waits', async () => {
    const polls = new WaitingPolls()
    assert.equal(polls.gather(), undefined)
    for (let index = 0; index < 2_000; index += 1) polls.wait(`${index}`, 60_000)
    const began = performance.now()
    const first = polls.gather()
    assert.equal(polls.gather(), first)
    await first
    const took = performance.now() - began
    assert.ok(took > 190 && took < 1_000, `${took} ms`)
    polls.close()
    assert.equal(polls.gather(), undefined)
  })

  it('at the end of the process nobody waits, nor begins to', async () => {
    const polls = new WaitingPolls()
    const waiting = polls.wait('a', 60_000)
    polls.close()
    assert.equal(await waiting.ended, 'over')
    assert.equal(await polls.wait('a', 60_000).ended, 'over')
  })
})
