import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fixableProblem, StartFailure } from './start-failure.ts'

describe('an error that ends a start', () => {
  const rows: [string, unknown, RegExp | undefined][] = [
    [
      'a read-only disk',
      errno('EROFS', '/data/lock'),
      /^Cannot use \/data\/lock: the disk is read-only\. .*LANDBRIDGE_DATA_DIR/,
    ],
    ['a full disk', errno('ENOSPC', '/data/lock'), /the disk is full/],
    ['a folder of somebody else', errno('EACCES', '/data'), /permission denied/],
    ['what was written for the console', new StartFailure('The port is taken.'), /^The port is taken\.$/],
    ['a socket, which has no path', errno('EACCES', undefined), undefined],
    ['a fault of ours', new TypeError('x is not a function'), undefined],
    ['what is no error', 'text', undefined],
  ]
  for (const [what, error, expected] of rows) {
    it(`${what} → ${expected ? 'one sentence' : 'its stack in the log'}`, () => {
      const problem = fixableProblem(error)
      if (expected) assert.match(problem ?? '', expected)
      else assert.equal(problem, undefined)
    })
  }
})

function errno(code: string, path: string | undefined): Error {
  return Object.assign(new Error(`${code}: open '${path}'`), { code, ...(path && { path }) })
}
