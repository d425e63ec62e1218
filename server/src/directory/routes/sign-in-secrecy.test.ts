// Nothing that a visitor sees tells whether an email has an account: neither bytes, status, headers nor time.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nextAddress } from '../../../../test/support/applications.ts'
import { Browser, type Visit } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'

const service = await startHarness()
const password = 'correct horse battery'
const admin = { name: 'Ada', email: 'ada@example.com', password }
const { body: partner } = await service.operator('POST', '/partners', { name: 'Acme', portal_domain: null, admin })

const accounts = 20
const triesEach = 8
for (let n = 0; n < accounts; n += 1) {
  const person = { name: `Person ${n}`, email: `known-${n}@example.com`, password, role: 'member' }
  await service.operator('POST', `/customers/${partner.lab.customer_id}/users`, person)
}

type Kind = 'known' | 'nobody'
const kinds: Kind[] = ['known', 'nobody']
const emailOf = (kind: Kind, n: number) => `${kind === 'known' ? 'known' : 'guess'}-${n}@example.com`

function attempt(kind: Kind, n: number, address = nextAddress()): Promise<Visit> {
  return new Browser(service, { address }).signIn({ email: emailOf(kind, n), password: `wrong ${n}` })
}

/** All of a response that could differ, but for what differs in any two responses. */
function comparable({ status, headers, body }: Visit, email: string): string {
  const { date: _, 'x-request-id': __, ...others } = headers
  return (
    JSON.stringify([status, others, body])
      .replaceAll(email, '?')
      // A random challenge for a passkey, in every page.
      .replace(/challenge&#34;:&#34;[\w-]+/g, '')
  )
}

/** Mann–Whitney: how often one of the first took longer than one of the second; a half when nothing tells them apart. */
function shareOfLonger(first: number[], second: number[]): number {
  let longer = 0
  for (const one of first) for (const other of second) longer += one > other ? 1 : one === other ? 0.5 : 0
  return longer / (first.length * second.length)
}

/** Interleaved, so that a slow moment of the machine slows both. `planted`: milliseconds that a known account takes longer. */
async function timesOf(planted: number, from: number): Promise<Record<Kind, number[]>> {
  const times: Record<Kind, number[]> = { known: [], nobody: [] }
  for (let round = 0; round < triesEach; round += 1) {
    for (let n = from; n < from + accounts / 2; n += 1) {
      for (const kind of (n + round) % 2 ? kinds : kinds.toReversed()) {
        const start = performance.now()
        await attempt(kind, n)
        const end = performance.now() + (kind === 'known' ? planted : 0)
        while (performance.now() < end);
        times[kind].push(performance.now() - start)
      }
    }
  }
  return times
}

const median = (times: number[]) => times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)]!

describe('whether an email has an account', () => {
  it('is in no byte, status or header of a refused sign-in, nor of one over the limit', async () => {
    const seen = new Map<number, Set<string>>()
    for (const kind of kinds) {
      const address = nextAddress()
      for (let n = 0; n < 12; n += 1) {
        const visit = await attempt(kind, 0, address)
        seen.set(visit.status, (seen.get(visit.status) ?? new Set()).add(comparable(visit, emailOf(kind, 0))))
      }
    }
    assert.deepEqual([...seen.keys()].sort(), [401, 429])
    for (const [status, pages] of seen) assert.equal(pages.size, 1, `${status}: ${[...pages].join('\n')}`)
  })

  it(`is not in the time of ${accounts * triesEach} refused sign-ins, and twice the time would be found`, async () => {
    await timesOf(0, 0)
    const times = await timesOf(0, 0)
    const share = shareOfLonger(times.known, times.nobody)
    // Six standard deviations for 80 of each, and enough for a busy machine.
    assert.ok(share > 0.3 && share < 0.7, `${share}; medians ${median(times.known)} and ${median(times.nobody)} ms`)
    const found = await timesOf(Math.max(3, median(times.nobody)), accounts / 2)
    assert.ok(shareOfLonger(found.known, found.nobody) > 0.7, 'the planted difference was not found')
  })
})
