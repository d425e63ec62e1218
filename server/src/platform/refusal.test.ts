import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { conflict, found, invalid, notAuthorized, notFound, Refusal, shortened } from './refusal.ts'

const form = ({ status, code, message }: Refusal) => ({ status, code, message })

describe('a refusal', () => {
  it('has a status, a code and a sentence, and what else its writer needs', () => {
    const more = { details: [{ field: 'a', message: 'b' }], reason: 'r', clientId: 'c', retryAfter: 2, repeated: true }
    const refusal = new Refusal(429, 'too_many', 'Wait.', more)
    assert.ok(refusal instanceof Error)
    const { details, reason, clientId, retryAfter, repeated } = refusal
    assert.deepEqual({ details, reason, clientId, retryAfter, repeated }, more)
    assert.deepEqual(form(refusal), { status: 429, code: 'too_many', message: 'Wait.' })
    assert.equal(new Refusal(400, 'a', 'B.').repeated, false)
  })

  it('what is not there is not found', () => {
    assert.deepEqual(form(notFound('data point')), { status: 404, code: 'not_found', message: 'Data point not found.' })
    assert.equal(found(0, 'device'), 0)
    assert.throws(() => found(undefined, 'device'), { status: 404, message: 'Device not found.' })
  })

  it('7.7 not authorized, with the reason for the log only', () => {
    assert.deepEqual(form(notAuthorized('token_expired', 'app')), {
      status: 401,
      code: 'not_authorized',
      message: 'Not authorized',
    })
    assert.deepEqual(
      [notAuthorized('token_expired', 'app').reason, notAuthorized('r', 'app').clientId],
      ['token_expired', 'app'],
    )
    assert.equal(notAuthorized().reason, undefined)
    assert.deepEqual(form(conflict('name_taken', 'Taken.')), { status: 409, code: 'name_taken', message: 'Taken.' })
  })

  it('of a body names its first 20 problems', () => {
    const problems = Array.from({ length: 21 }, (_, index) => ({ field: `f${index}`, message: 'is wrong' }))
    assert.deepEqual(invalid(...problems).details, problems.slice(0, 20))
    assert.deepEqual(form(invalid(problems[0]!, problems[1]!)), {
      status: 422,
      code: 'invalid',
      message: 'f0 is wrong; f1 is wrong.',
    })
  })

  it('quotes at most 160 characters of a name, all of them whole', () => {
    assert.equal(shortened('x'.repeat(160)), 'x'.repeat(160))
    assert.equal(shortened('x'.repeat(161)), `${'x'.repeat(160)}…`)
    assert.equal(shortened(`${'x'.repeat(159)}🙂`), `${'x'.repeat(159)}\ufffd…`)
    assert.equal(shortened('a\ud800'), 'a\ufffd')
    assert.equal(invalid({ field: 'x'.repeat(161), message: 'is wrong' }).details![0]!.field, `${'x'.repeat(160)}…`)
  })
})
