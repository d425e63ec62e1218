import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Logger } from 'pino'
import { fixableProblem, reportFailedStart, StartFailure } from './start-failure.ts'

describe('an error that ends a start', () => {
  const rows: [string, unknown, RegExp | undefined][] = [
    [
      'a read-only disk',
      errno('EROFS', '/data/lock'),
      /^Cannot use \/data\/lock: the disk is read-only\. .*LANDBRIDGE_DATA_DIR/,
    ],
    ['a full disk', errno('ENOSPC', '/data/lock'), /the disk is full/],
    ['a used-up quota', errno('EDQUOT', '/data'), /the disk quota is used up/],
    ['a broken disk', errno('EIO', '/data'), /the disk reports an error/],
    ['a folder in the place of a file', errno('EISDIR', '/data'), /it is a folder/],
    ['a file in the place of a folder', errno('ENOTDIR', '/data'), /a part of the path is not a folder/],
    ['what is not permitted', errno('EPERM', '/data'), /it is not permitted/],
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

it('what can be fixed is printed as one line, and anything else is logged with its stack', (t) => {
  const printed = t.mock.method(console, 'error', () => {})
  const logged: unknown[] = []
  const log = { fatal: (...line: unknown[]) => logged.push(line) } as unknown as Logger
  reportFailedStart(new StartFailure('The port is taken.'), log)
  assert.deepEqual([printed.mock.calls.map((call) => call.arguments), logged], [[['The port is taken.']], []])
  const fault = new TypeError('x is not a function')
  reportFailedStart(fault, log)
  assert.deepEqual([printed.mock.callCount(), logged], [1, [[{ err: fault }, 'cannot start']]])
})

function errno(code: string, path: string | undefined): Error {
  return Object.assign(new Error(`${code}: open '${path}'`), { code, ...(path && { path }) })
}
