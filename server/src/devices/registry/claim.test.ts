import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newMac, newModel, refused, startScene } from '../../../../test/support/devices.ts'
import { ownLimits } from '../../platform/own-limits.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { claimDevice } from './claim.ts'
import { getDevice, removeDevice } from './devices.ts'

const { claimed, clock, context, customer, customerId, model, newSpace, partner, registered, service, sql, user } =
  await startScene()

describe('1.5 claiming by MAC, serial number and model', () => {
  it('the device belongs to the customer, in the chosen space, with an audit event', async () => {
    const space_id = await newSpace(customerId)
    const device = await claimed({ name: 'Boiler', space_id })
    const found = await getDevice(context, customer, device.id)
    assert.deepEqual([found.name, found.space_id, found.customer_id], ['Boiler', space_id, customerId])
    assert.deepEqual(found.claimed_at, clock.now())
    const [event] = await sql`select actor from audit_events where type = 'device.claimed' and device_id = ${device.id}`
    assert.deepEqual(event!.actor, user)
  })

  it('decision 7.11: every failure is the same 422 claim_failed, and leaves an audit event', async () => {
    const device = await registered()
    const claimedDevice = await claimed()
    const removed = await registered()
    await removeDevice(context, user, partner, removed.id)
    const other = await newModel(service)
    const foreign = await newSpace(other.lab_customer_id)
    const attempts = [
      { ...device, mac: newMac(), model_id: model.id },
      { ...device, sn: 'wrong', model_id: model.id },
      { ...device, model_id: other.id },
      { ...device, model_id: 'nonsense' },
      { ...claimedDevice, model_id: model.id },
      { ...removed, model_id: model.id },
      { ...device, model_id: model.id, space_id: foreign },
      { ...device, model_id: model.id, space_id: newId() },
    ]
    for (const attempt of attempts) {
      const { status, code, message } = await refused(
        claimDevice(context, user, { customer_id: customerId }, '192.0.2.1', attempt),
      )
      assert.deepEqual([status, code], [422, 'claim_failed'])
      assert.match(message, /cannot be claimed/)
    }
    const [row] = await sql`select count(*)::int as count from audit_events where type = 'device.claim_failed'`
    assert.equal(row!.count, attempts.length)
    // None of them kept the owner from claiming it.
    await claimDevice(context, user, { customer_id: customerId }, '192.0.2.1', { ...device, model_id: model.id })
  })

  it('of two customers at once exactly one gets it', async () => {
    const other = await newModel(service)
    for (let round = 0; round < 10; round += 1) {
      const device = { ...(await registered()), model_id: model.id }
      const claims = await Promise.allSettled(
        [customerId, other.lab_customer_id].map((id) =>
          claimDevice(context, user, { customer_id: id }, '192.0.2.1', device),
        ),
      )
      assert.deepEqual(claims.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
      const [row] = await sql`
        select device.customer_id = state.customer_id as same
        from devices device join device_states state on state.device_id = device.id where device.id = ${device.id}`
      assert.equal(row!.same, true)
    }
  })

  it('decision 7.11: attempts are limited, but nobody at the same address or customer can lock an owner out', async () => {
    clock.forward(61)
    const guess = () => ({ mac: newMac(), sn: 'guess', model_id: model.id })
    const attacker = { kind: 'user', id: newId() } as const
    const codes: string[] = []
    for (let n = 0; n < ownLimits.failedClaimsPerUser + 2; n += 1) {
      codes.push(
        (await refused(claimDevice(context, attacker, { customer_id: customerId }, '192.0.2.7', guess()))).code,
      )
    }
    assert.deepEqual(codes.slice(-3), ['claim_failed', 'too_many_attempts', 'too_many_attempts'])
    // More of them exhaust the address and the customer.
    for (let n = 0; n < ownLimits.failedClaimsPerAddress; n += 1) {
      const helper = { kind: 'user', id: `${n % 10}` } as const
      await refused(claimDevice(context, helper, { customer_id: customerId }, '192.0.2.7', guess()))
    }
    const owner = { kind: 'user', id: newId() } as const
    const device = await registered()
    await claimDevice(context, owner, { customer_id: customerId }, '192.0.2.7', { ...device, model_id: model.id })
    clock.forward(61)
  })

  it('decision 7.11: only failed attempts count, so that any number of devices can be claimed', async () => {
    clock.forward(61)
    const person = { kind: 'user', id: newId() } as const
    for (let n = 0; n < ownLimits.failedClaimsPerUser + 10; n += 1) {
      const device = await registered()
      await claimDevice(context, person, { customer_id: customerId }, '192.0.2.8', { ...device, model_id: model.id })
    }
  })

  it('decision 7.11: all API keys and applications of a customer share one limit: a new key adds nothing', async () => {
    clock.forward(61)
    const { failedClaimsByKeysOfCustomer } = ownLimits
    const codes = new Map<string, number>()
    for (let n = 0; n < failedClaimsByKeysOfCustomer + 50; n += 1) {
      const kind = n % 2 === 0 ? 'api_key' : 'application'
      const claim = { mac: newMac(), sn: 'guess', model_id: model.id }
      const { code } = await refused(
        claimDevice(context, { kind, id: newId() }, { customer_id: customerId }, `192.0.2.${n}`, claim),
      )
      codes.set(code, (codes.get(code) ?? 0) + 1)
    }
    assert.deepEqual(Object.fromEntries(codes), { claim_failed: failedClaimsByKeysOfCustomer, too_many_attempts: 50 })
    const person = { kind: 'user', id: newId() } as const
    const device = await registered()
    await claimDevice(context, person, { customer_id: customerId }, '192.0.2.9', { ...device, model_id: model.id })
  })

  it('decision 7.11: concurrent attempts do not exceed the limit', async () => {
    clock.forward(61)
    const person = { kind: 'user', id: newId() } as const
    const guess = () => ({ mac: newMac(), sn: 'guess', model_id: model.id })
    const attempts = Array.from({ length: ownLimits.failedClaimsPerUser + 30 }, () =>
      refused(claimDevice(context, person, { customer_id: customerId }, '192.0.2.10', guess())),
    )
    const codes = (await Promise.all(attempts)).map(({ code }) => code)
    assert.equal(codes.filter((code) => code === 'claim_failed').length, ownLimits.failedClaimsPerUser)
  })
})
