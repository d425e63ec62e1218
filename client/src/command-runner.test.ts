// What becomes of a command, whatever happens in between: against a service that is a list of reports.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CommandHandler, CommandRunner, type HandlerOptions } from './command-runner.ts'
import { type CommandStore, memoryCommandStore } from './command-store.ts'
import { type CommandReport, defineCommands, type HandedOutCommand } from './command-types.ts'
import { CommandRejected, LandbridgeError, NetworkError } from './errors.ts'

const backoff = { attempts: 1, firstDelayMs: 1, longestDelayMs: 5 }
let ids = 0

function command(change: Partial<HandedOutCommand> = {}): HandedOutCommand {
  ids += 1
  const times = { created_at: new Date().toISOString(), expires_at: new Date(Date.now() + 60_000).toISOString() }
  return { id: `c${ids}`, device_id: 'd', name: 'work', parameters: {}, state: 'sent', attempt: 1, ...times, ...change }
}

interface Setting {
  store?: CommandStore
  /** What the service says to a report; nothing if it takes it. */
  refuse?(report: CommandReport, number: number): Error | undefined
  handler?: CommandHandler
  options?: HandlerOptions
}

function newRunner({ store = memoryCommandStore(), refuse, handler, options }: Setting = {}) {
  const reports: CommandReport[] = []
  const executed: string[] = []
  const errors: unknown[] = []
  const runner = new CommandRunner({
    ...{ store, backoff, onError: (error) => errors.push(error) },
    async report(_, report) {
      const number = reports.push(report)
      const error = refuse?.(report, number)
      if (error) throw error
    },
  })
  runner.on(
    'work',
    async (parameters, context) => {
      executed.push(context.id)
      return await handler?.(parameters, context)
    },
    options,
  )
  const told = () => reports.map(({ status, message }) => (message === undefined ? status : `${status}: ${message}`))
  return { runner, store, reports, executed, errors, told }
}

/** As after kill -9 in the middle of the command: what the store has is all that is left. */
async function killedIn(each: HandedOutCommand, options?: HandlerOptions): Promise<CommandStore> {
  const store = memoryCommandStore()
  const { runner, executed } = newRunner({ store, handler: () => new Promise(() => {}), ...(options && { options }) })
  void runner.handle(each, 60_000)
  while (executed.length === 0) await new Promise((resolve) => setImmediate(resolve))
  return store
}

describe('partner kit: commands', () => {
  it('executed once, however often it is handed out, at once and later; each later time its outcome is reported again', async () => {
    const { runner, executed, told } = newRunner({ handler: () => ({ ok: 1 }) })
    const one = command()
    assert.deepEqual(await Promise.all([runner.handle(one, 60_000), runner.handle(one, 60_000)]), [true, true])
    assert.deepEqual(told(), ['in_progress', 'done'])
    assert.equal(await runner.handle({ ...one, state: 'in_progress', attempt: 2 }, 60_000), true)
    assert.deepEqual([executed.length, told()], [1, ['in_progress', 'done', 'done']])
  })

  it('the id is stored before it is executed, and the outcome before it is reported', async () => {
    const store = memoryCommandStore()
    const states: unknown[] = []
    const look = async () => states.push((await store.read('d')).map(({ outcome, isSettled }) => [outcome, isSettled]))
    const { runner } = newRunner({
      ...{ store, handler: async () => void (await look()) },
      refuse: (report) => void (report.status === 'done' && look()),
    })
    await runner.handle(command(), 60_000)
    await look()
    const done = { status: 'done' }
    assert.deepEqual(states, [[[undefined, false]], [[done, false]], [[done, true]]])
  })

  it('is not executed before the service has taken in_progress, nor after it refused it', async () => {
    const away = newRunner({ refuse: (_, number) => (number < 4 ? new NetworkError('timeout', 'late') : undefined) })
    assert.equal(await away.runner.handle(command(), 60_000), true)
    assert.deepEqual(away.told(), ['in_progress', 'in_progress', 'in_progress', 'in_progress', 'done'])
    const finished = new LandbridgeError('command_finished', 'It was canceled.', { status: 409 })
    const canceled = newRunner({ refuse: () => finished })
    assert.equal(await canceled.runner.handle(command(), 60_000), true)
    assert.deepEqual([canceled.executed, canceled.errors, canceled.told()], [[], [], ['in_progress']])
  })

  it('is not executed after it expired, also not if it expired while the service was away', async () => {
    const { runner, executed, reports } = newRunner()
    assert.equal(await runner.handle(command(), 0), true)
    assert.deepEqual([executed, reports], [[], []])
    const away = newRunner({ refuse: () => new NetworkError('timeout', 'late') })
    assert.equal(await away.runner.handle(command(), 30), true)
    assert.deepEqual(away.executed, [])
    const slow = newRunner({ refuse: ({ status }) => void (status === 'in_progress' && block(40)) })
    assert.equal(await slow.runner.handle(command(), 30), true)
    assert.deepEqual([slow.executed, slow.told()], [[], ['in_progress', 'rejected: It expired before it could begin.']])
  })

  it('what the clock of this machine shows does not matter', async () => {
    const { runner, executed } = newRunner()
    const past = new Date(Date.now() - 3_600_000).toISOString()
    await runner.handle(command({ expires_at: past }), 5_000)
    await runner.handle(command({ expires_at: past }), null)
    assert.equal(executed.length, 2)
  })

  it('an error is failed, CommandRejected and a name without handler are rejected', async () => {
    const outcome = async (thrown: unknown, change: Partial<HandedOutCommand> = {}) => {
      const { runner, told } = newRunner({
        handler: () => {
          throw thrown
        },
      })
      await runner.handle(command(change), 60_000)
      return told().at(-1)
    }
    assert.equal(await outcome(new Error('The valve is stuck.')), 'failed: The valve is stuck.')
    assert.equal(await outcome('text'), 'failed: text')
    assert.equal(await outcome(new CommandRejected('Not while open.')), 'rejected: Not while open.')
    assert.equal(await outcome(null, { name: 'other' }), 'rejected: This device does not know other.')
    const long = (await outcome(new Error('ä'.repeat(2_000))))!.slice('failed: '.length)
    assert.ok(new TextEncoder().encode(long).length <= 1_024 && /^ä+…$/.test(long))
  })

  it('parameters that do not fit the declaration are rejected before anything begins', async () => {
    const reports: CommandReport[] = []
    const declared = defineCommands([
      {
        name: 'set',
        parameters: [
          { key: 'celsius', type: 'number', required: true, min: 5, max: 30 },
          { key: 'mode', type: 'text', values: ['eco', 'comfort'] },
        ],
      },
    ])
    const report = async (_: string, each: CommandReport) => void reports.push(each)
    const runner = new CommandRunner({ store: memoryCommandStore(), backoff, declared, report })
    runner.on('set', () => {})
    assert.throws(() => runner.on('reset', () => {}), /not declared/)
    for (const parameters of [
      {},
      { celsius: '20' },
      { celsius: 31 },
      { celsius: 20, mode: 'x' },
      { celsius: 20, a: 1 },
    ])
      await runner.handle(command({ name: 'set', parameters: parameters as never }), 60_000)
    assert.deepEqual(
      reports.map(({ status, message }) => `${status}: ${message}`),
      [
        'rejected: celsius is required.',
        'rejected: celsius must be a number.',
        'rejected: celsius must be at most 30.',
        'rejected: mode must be one of eco, comfort.',
        'rejected: a is not a parameter of set.',
      ],
    )
    reports.length = 0
    await runner.handle(command({ name: 'set', parameters: { celsius: 20, mode: 'eco' } }), 60_000)
    assert.deepEqual(
      reports.map(({ status }) => status),
      ['in_progress', 'done'],
    )
  })

  it('after a crash in the middle it is failed, and never executed again', async () => {
    const one = command()
    const store = await killedIn(one)
    const { runner, executed, told } = newRunner({ store })
    await runner.recover()
    assert.equal(await runner.handle({ ...one, state: 'in_progress' }, 60_000), true)
    assert.deepEqual(executed, [])
    assert.match(told()[0]!, /^failed: Interrupted: /)
    const lost = newRunner()
    await lost.runner.handle(command({ state: 'in_progress' }), 60_000)
    assert.match(lost.told()[0]!, /^failed: Interrupted: /, 'with a store that was lost as well')
    assert.deepEqual(lost.executed, [])
  })

  it('with resume the next process goes on with the same parameters, which are forgotten then; three times at most', async () => {
    const one = command({ parameters: { pin: '1234' } })
    const resumed: unknown[] = []
    const options = { resume: async (parameters: object) => void resumed.push(parameters) }
    const store = await killedIn(one, options)
    assert.deepEqual((await store.read('d'))[0]!.parameters, { pin: '1234' })
    const { runner, told } = newRunner({ store, options })
    await runner.recover()
    await settled(store)
    assert.deepEqual([resumed, told()], [[{ pin: '1234' }], ['done']])
    assert.doesNotMatch(JSON.stringify(await store.read('d')), /1234/)

    const again = command({ parameters: {} })
    const crashing = await killedIn(again, options)
    let calls = 0
    const hangs = { resume: () => new Promise(() => (calls += 1)) }
    for (let process = 0; process < 3; process += 1) {
      void newRunner({ store: crashing, options: hangs }).runner.recover()
      while (calls <= process) await new Promise((resolve) => setImmediate(resolve))
    }
    const last = newRunner({ store: crashing, options: hangs })
    await last.runner.recover()
    await settled(crashing)
    assert.match(last.told()[0]!, /^failed: Interrupted/)
    assert.equal(calls, 3)
  })

  it('without a store that takes the id nothing is executed', async () => {
    const store = { ...memoryCommandStore(), write: () => Promise.reject(new Error('disk full')) }
    const { runner, executed, errors } = newRunner({ store })
    assert.equal(await runner.handle(command(), 60_000), false)
    assert.deepEqual([executed, errors.map(String)], [[], ['Error: disk full']])
  })

  it('an outcome is reported until the service has it, by the next process if need be', async () => {
    const store = memoryCommandStore()
    const { runner } = newRunner({
      store,
      refuse: ({ status }) => (status === 'done' ? new NetworkError('timeout', 'late') : undefined),
    })
    void runner.handle(command(), 60_000)
    while (!(await store.read('d'))[0]?.outcome) await new Promise((resolve) => setImmediate(resolve))
    await runner.stop(1_000)
    assert.equal((await store.unsettled()).length, 1)
    const next = newRunner({ store })
    await next.runner.recover()
    await settled(store)
    assert.deepEqual([next.told(), next.executed], [['done'], []])
    assert.deepEqual(await store.unsettled(), [])
  })

  it('one at a time and in order per device; devices do not wait for each other', async () => {
    const order: string[] = []
    const { runner } = newRunner({
      handler: async (_, { id, deviceId }) => {
        order.push(`${deviceId} ${id} begins`)
        await new Promise((resolve) => setTimeout(resolve, deviceId === 'slow' ? 30 : 1))
        order.push(`${deviceId} ${id} ends`)
      },
    })
    const [a, b, c] = [command({ device_id: 'slow' }), command({ device_id: 'slow' }), command({ device_id: 'fast' })]
    await Promise.all([a, b, c].map((each) => runner.handle(each, 60_000)))
    const of = (device: string) =>
      order.filter((each) => each.startsWith(device)).map((each) => each.split(' ').slice(1))
    assert.deepEqual(of('slow'), [
      [a.id, 'begins'],
      [a.id, 'ends'],
      [b.id, 'begins'],
      [b.id, 'ends'],
    ])
    assert.ok(order.indexOf(`fast ${c.id} ends`) < order.indexOf(`slow ${a.id} ends`))
  })

  it('progress is told, and its failure disturbs nobody; a result that is too long or refused is left out', async () => {
    const progress = newRunner({
      handler: async (_, context) => {
        await context.progress('half')
        return 'x'.repeat(20_000)
      },
      refuse: ({ message }) => (message === 'half' ? new NetworkError('timeout', 'late') : undefined),
    })
    await progress.runner.handle(command(), 60_000)
    assert.deepEqual(progress.told(), [
      'in_progress',
      'in_progress: half',
      'done: Its result of 20002 bytes is left out.',
    ])
    const invalid = newRunner({
      handler: () => '\0',
      refuse: ({ result }) =>
        result === undefined ? undefined : new LandbridgeError('invalid', 'no', { status: 422 }),
    })
    assert.equal(await invalid.runner.handle(command(), 60_000), true)
    assert.deepEqual([invalid.told(), invalid.reports.at(-1)!.result], [['in_progress', 'done', 'done'], undefined])
  })

  it('the last 64 are remembered, and of those that the service waits for every one', async () => {
    const { runner, store } = newRunner()
    for (let n = 0; n < 70; n += 1) await runner.handle(command(), 60_000)
    assert.equal((await store.read('d')).length, 64)
    for (let n = 0; n < 70; n += 1) await store.write('e', { id: `u${n}`, name: 'work', isSettled: n > 0, resumed: 0 })
    assert.deepEqual((await store.read('e')).map(({ id }) => id).slice(0, 2), ['u0', 'u7'])
  })
})

async function settled(store: CommandStore): Promise<void> {
  while ((await store.unsettled()).length > 0) await new Promise((resolve) => setImmediate(resolve))
}

function block(milliseconds: number): void {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}
