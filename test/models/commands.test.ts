import assert from 'node:assert/strict'
import { describe } from 'node:test'
import fc from 'fast-check'
import { settleDueCommands } from '../../server/src/devices/commands/command-deadlines.ts'
import { replaceDeclaredCommands } from '../../server/src/devices/commands/declared-commands.ts'
import { confirmDelivery, handOut, handOutToFleet } from '../../server/src/devices/commands/hand-out.ts'
import { claimDevice } from '../../server/src/devices/registry/claim.ts'
import { removeDevice } from '../../server/src/devices/registry/devices.ts'
import { findBrokenRules } from '../support/commands.ts'
import { newMac, newModel, register } from '../support/devices.ts'
import { startHarness } from '../support/harness.ts'
import { createOrganization } from '../support/organization.ts'
import * as rules from './rules/commands.ts'
import { command, itKeepsTheModel, pick } from './run-model.ts'

const service = await startHarness()
const { context, sql } = service
const organization = await createOrganization(service)
const { customer_id } = organization
const actor = { kind: 'user', id: organization.administrator.id } as const
const call = organization.call.bind(organization, 'session')

interface Real {
  deviceId: string
  partnerId: string
}
type Model = rules.Queue

const nth = fc.nat(30)
const expires = fc.constantFrom(10, 60, 600)
const timeouts = [5, 30, 300]
const path = ({ deviceId }: Real) => `/devices/${deviceId}/commands`

const create = command<Model, Real, { kind: number; expires_after: number }>(
  'create',
  fc.record({ kind: fc.nat(2), expires_after: expires }),
  async (model, real, { kind, expires_after }) => {
    // The limit per minute is another matter.
    await sql`delete from limit_windows`
    service.clock.forward(61)
    const { status, body } = await call('POST', path(real), { name: `wait_${timeouts[kind]}`, expires_after })
    if (model.removed) return assert.equal(status, 404)
    rules.settle(model)
    if (rules.waitingOf(model).length >= 20) return assert.equal(body.code, 'too_many_commands')
    assert.equal(status, 202, JSON.stringify(body))
    const expiresAt = model.now + expires_after
    const made = { id: body.id, state: 'queued', attempts: 0, timeout: timeouts[kind]!, message: null } as const
    model.commands.push({ ...made, expiresAt, dueAt: expiresAt, fleetAt: null })
  },
  { weight: 4 },
)

const take = command<Model, Real, rules.Way>(
  'take',
  fc.constantFrom('poll', 'subscribe', 'notice', 'fleet'),
  async (model, real, way) => {
    const ids = [real.deviceId]
    // The poll over the fleet finds what is there: the job is what makes a command that was taken in vain available again.
    if (way === 'fleet') await settleDueCommands(context)
    if (way === 'fleet') rules.settle(model)
    const taken =
      way === 'fleet'
        ? (await handOutToFleet(context, real.partnerId, 10))[0]
        : (await handOut(context, ids, way)).get(real.deviceId)
    const expected = rules.take(model, way)
    assert.deepEqual(
      taken && [taken.id, taken.state, taken.attempt],
      expected && [expected.id, expected.state, expected.attempts],
    )
  },
  { weight: 5 },
)

const confirm = command<Model, Real, null>('confirm', fc.constant(null), async (model, real) => {
  const head = rules.headOf(model)
  if (!head) return
  await confirmDelivery(context, [{ id: head.id, device_id: real.deviceId }])
  if (head.attempts > 0) head.fleetAt = null
})

const report = command<Model, Real, { which: number; status: rules.Status; message: string | null }>(
  'report',
  fc.record({
    which: nth,
    status: fc.constantFrom('in_progress', 'done', 'failed', 'rejected'),
    message: fc.constantFrom(null, 'ok'),
  }),
  async (model, real, { which, status, message }) => {
    const about = pick(model.commands, which)
    const expected = rules.report(model, about, status, message)
    const by = which % 2 ? { device_id: real.deviceId } : { partner_id: real.partnerId }
    const got = await context.reportCommand(by, { id: about.id, status, message }).then(
      ({ next }) => {
        const head = rules.headOf(model)
        assert.equal(next, head !== undefined && head !== about)
        return 200
      },
      (error) => error.status,
    )
    assert.equal(got, expected)
  },
  { when: ({ commands }) => commands.length > 0, weight: 4 },
)

const cancel = command<Model, Real, number>(
  'cancel',
  nth,
  async (model, real, which) => {
    const about = pick(model.commands, which)
    const { status, body } = await call('DELETE', `${path(real)}/${about.id}`)
    if (model.removed) return assert.equal(status, 404)
    assert.equal(`${status} ${status === 200 ? '' : body.code}`.trim(), rules.cancel(model, about))
  },
  { when: ({ commands }) => commands.length > 0 },
)

/** All instants of the device's commands are so much earlier. */
const pass = command<Model, Real, number>(
  'time passes',
  fc.constantFrom(1, 6, 31, 61, 301, 601),
  async (model, real, seconds) => {
    const age = sql`make_interval(secs => ${seconds})`
    await sql`
      update device_commands set created_at = created_at - ${age}, expires_at = expires_at - ${age},
        due_at = due_at - ${age}, sent_at = sent_at - ${age}, delivered_at = delivered_at - ${age}
      where device_id = ${real.deviceId}`
    model.now += seconds
  },
  { weight: 2 },
)

const settle = command<Model, Real, null>('deadlines', fc.constant(null), async (model) => {
  await settleDueCommands(context)
  rules.settle(model)
})

const remove = command<Model, Real, number>(
  'remove',
  fc.nat(9),
  async (model, real) => {
    await removeDevice(context, actor, { customer_id }, real.deviceId)
    rules.remove(model)
  },
  { when: ({ removed }, chance) => !removed && chance === 0 },
)

async function begin() {
  const made = await newModel(service)
  const commands = timeouts.map((timeout) => ({ name: `wait_${timeout}`, timeout }))
  const target = { partner_id: made.partner_id, model_id: made.id }
  await replaceDeclaredCommands(context, { kind: 'operator' }, target, { commands })
  const identity = { mac: newMac(), sn: `SN-${newMac()}` }
  const { id } = await register(service, made, identity)
  await claimDevice(context, actor, { customer_id }, '192.0.2.7', { ...identity, model_id: made.id })
  return {
    model: { now: 0, commands: [], removed: false } satisfies Model as Model,
    real: { deviceId: id, partnerId: made.partner_id },
  }
}

async function look(model: Model, real: Real): Promise<void> {
  await settleDueCommands(context)
  rules.settle(model)
  const rows = await sql`
    select id, state, attempts, message from device_commands where device_id = ${real.deviceId} order by number`
  assert.deepEqual(
    [...rows],
    model.commands.map(({ id, state, attempts, message }) => ({ id, state, attempts, message })),
  )
  const [flag] = await sql`select has_command from device_states where device_id = ${real.deviceId}`
  assert.equal(flag!.has_command, rules.waitingOf(model).length > 0)
  assert.deepEqual(await findBrokenRules(sql), [])
}

describe('decisions 7.82 to 7.86: the commands of a device', () => {
  const commands = [create, take, confirm, report, cancel, pass, settle, remove]
  itKeepsTheModel('commands', { commands, begin, look })
})
