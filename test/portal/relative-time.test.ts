import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { relativeFormat, relativeTime } from '../../portal/src/components/page/relative-time.ts'

const minute = 60
const hour = 3_600
const day = 86_400
const now = Date.parse('2026-03-10T12:00:00Z')
const long = relativeFormat('long')
const at = (seconds: number, format = long) => relativeTime(new Date(now + seconds * 1000), now, format)

describe('relative times are rounded to the nearest, in both directions', () => {
  const table: [seconds: number, text: string][] = [
    [7 * day, 'in 7 days'],
    // An invitation of seven days, when its list is read for the first time.
    [7 * day - 1, 'in 7 days'],
    [6.4 * day, 'in 6 days'],
    [day - 1, 'in 1 day'],
    [23.4 * hour, 'in 23 hours'],
    [hour - 1, 'in 1 hour'],
    [90 * minute, 'in 2 hours'],
    [59.4 * minute, 'in 59 minutes'],
    [minute - 0.4, 'in 1 minute'],
    [59, 'in 59 seconds'],
    [9, 'just now'],
    [0, 'just now'],
    [-9, 'just now'],
    [-10.4, '10 seconds ago'],
    [-59.6, '1 minute ago'],
    [-89, '1 minute ago'],
    [-91, '2 minutes ago'],
    [-59.6 * minute, '1 hour ago'],
    [-23.6 * hour, '1 day ago'],
    // The day before yesterday, by the calendar of a morning.
    [-33 * hour, '1 day ago'],
    [-29.6 * day, '30 days ago'],
    [-30 * day, '1 month ago'],
    [-44 * day, '1 month ago'],
    [-364 * day, '1 year ago'],
    [-3 * 365 * day, '3 years ago'],
    [10, 'in 10 seconds'],
    // Each begins half of the next smaller unit before it is whole.
    [59.5, 'in 1 minute'],
    [-59.49, '59 seconds ago'],
    [59.5 * minute, 'in 1 hour'],
    [23.5 * hour, 'in 1 day'],
    [23.5 * hour - 1, 'in 23 hours'],
    [2_628_000 - day / 2, 'in 1 month'],
    [2_628_000 - day / 2 - 1, 'in 30 days'],
    [365 * day - 1_314_000, 'in 1 year'],
    [365 * day - 1_314_001, 'in 11 months'],
    // Half of one more is the next.
    [1.5 * 365 * day, 'in 2 years'],
    [1.5 * 2_628_000, 'in 2 months'],
    [1.5 * day, 'in 2 days'],
    [1.5 * hour, 'in 2 hours'],
  ]
  for (const [seconds, text] of table) {
    it(`${seconds} s: ${text}`, () => assert.equal(at(seconds), text))
  }

  it('never counts to the next unit: no 60 minutes, no 24 hours, no 12 months', () => {
    for (let seconds = 10; seconds < 800 * day; seconds *= 1.003) {
      for (const text of [at(seconds), at(-seconds)])
        assert.doesNotMatch(text, /\b(60 [sm]|24 h|12 mo|0 |3[1-9] d)/, text)
    }
  })
})
