import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { UsageError } from '../usage-error.ts'
import { readOptions, simulateHelp } from './options.ts'

describe('the options of a simulation', () => {
  it('have values that suit a first try', () => {
    const { devices, protocol, kinds, seed, plan, claim } = readOptions([])!
    assert.deepEqual([devices, protocol, kinds.length, seed, claim], [100, 'mass', 4, 'landbridge', false])
    assert.deepEqual(plan, { everySeconds: 45, outages: 0.05, updates: 0.1, removals: 0.005 })
    assert.equal(readOptions(['--help']), null)
    for (const option of ['devices', 'protocol', 'history', 'hardware-key-file'])
      assert.ok(simulateHelp.includes(`--${option}`))
  })

  const wrong: [string[], RegExp][] = [
    [['--devices', 'many'], /--devices must be a whole number from 1 to 200000, not "many"/],
    [['--devices', ''], /--devices/],
    [['--devices', '0'], /--devices/],
    [['--devices', '1.5'], /--devices/],
    [['--every=-1'], /--every/],
    [['--history', '168'], /--history must be a number from 0 to 167/],
    [['--outages', 'NaN'], /--outages/],
    [['--protocol', 'smtp'], /--protocol must be http, mass, mqtt, not "smtp"/],
    [['--kind', 'toaster'], /--kind must be display, thermostat, amplifier, meter/],
  ]
  for (const [args, message] of wrong) {
    it(`refuse ${args.join(' ')}`, () => {
      assert.throws(
        () => readOptions(args),
        (error) => error instanceof UsageError && message.test(error.message),
      )
    })
  }

  it('have none for a secret: arguments are seen by everyone on the machine', () => {
    assert.throws(() => readOptions(['--hardware-key', 'lbh_secret']), { code: 'ERR_PARSE_ARGS_UNKNOWN_OPTION' })
  })
})
