import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  newModel,
  online,
  post,
  refused,
  register,
  registration,
  send,
  startScene,
} from '../../../../test/support/devices.ts'
import { readHistory } from '../telemetry/history.ts'
import { listDevices } from './device-lists.ts'
import { changeDevice, getDevice, openReplaceWindow, removeDevice } from './devices.ts'

const { claimed, clock, context, customer, customerId, model, newSpace, partner, service, sql, user } =
  await startScene()

describe('decision 7.3: removal, replacement, change', () => {
  it('a removed device is unknown to its customer and its partner, and registers as a new one with a new id', async () => {
    const space_id = await newSpace(customerId)
    const device = await claimed({ space_id })
    await removeDevice(context, user, customer, device.id)
    for (const owner of [customer, partner]) {
      assert.equal((await refused(getDevice(context, owner, device.id))).status, 404)
    }
    assert.equal((await send(service, device, online({}))).status, 410)
    const again = await register(service, model, { mac: device.mac, sn: device.sn })
    assert.notEqual(again.id, device.id)
    assert.equal((await getDevice(context, partner, again.id)).claimed_at, null)
    assert.equal((await send(service, device, online({}))).status, 410)
    assert.equal((await send(service, again, online({}))).status, 200)
    // Its space can be deleted.
    await sql`delete from spaces where id = ${space_id}`
    assert.equal((await refused(removeDevice(context, user, customer, device.id))).status, 404)
  })

  it('another customer’s or partner’s device is a 404 for every operation', async () => {
    const device = await claimed()
    const other = await newModel(service)
    const owners = [{ customer_id: other.lab_customer_id }, { partner_id: other.partner_id }]
    for (const owner of owners) {
      assert.equal((await refused(getDevice(context, owner, device.id))).status, 404)
      assert.equal((await refused(removeDevice(context, user, owner, device.id))).status, 404)
      assert.equal((await refused(openReplaceWindow(context, user, owner, device.id))).status, 404)
      assert.equal((await refused(readHistory(context, owner, device.id, {}))).status, 404)
      assert.deepEqual((await listDevices(context, owner, {})).items, [])
    }
    const change = changeDevice(context, user, { customer_id: other.lab_customer_id }, device.id, { name: 'mine' })
    assert.equal((await refused(change)).status, 404)
    assert.equal((await getDevice(context, customer, device.id)).name, null)
  })

  it('a replace window of an hour: same id and history, new key, and only once', async () => {
    const device = await claimed()
    await send(service, device, online({ a: 1 }))
    const again = () => post(service, '/v1/devices', registration(model, { mac: device.mac, sn: device.sn }))
    assert.equal((await again()).body.code, 'already_registered')
    await openReplaceWindow(context, user, partner, device.id)
    clock.forward(3_600)
    assert.equal((await again()).body.code, 'already_registered')
    const { replace_until } = await openReplaceWindow(context, user, customer, device.id)
    assert.equal(replace_until.getTime(), clock.now().getTime() + 3_600_000)
    assert.equal((await send(service, device, online({ a: 2 }))).status, 200)
    clock.forward(3_599)
    const { status, body } = await again()
    assert.deepEqual([status, body.id], [201, device.id])
    assert.equal((await send(service, device, online({ a: 3 }))).status, 401)
    // A lost response can be retried until the new key is used.
    const retried = (await again()).body
    assert.equal((await send(service, retried, online({ a: 4 }))).status, 200)
    assert.equal((await again()).body.code, 'already_registered')
    assert.equal((await readHistory(context, customer, device.id, {})).items.length, 3)
  })

  it('a rename and a move change only their own field, and another customer’s space is a 404', async () => {
    const space = await newSpace(customerId)
    const device = await claimed({ name: 'Old' })
    assert.equal(
      (await changeDevice(context, user, { customer_id: customerId }, device.id, { name: 'New' })).name,
      'New',
    )
    const moved = await changeDevice(context, user, { customer_id: customerId }, device.id, { space_id: space })
    assert.deepEqual([moved.name, moved.space_id], ['New', space])
    const foreign = await newSpace((await newModel(service)).lab_customer_id)
    const refusal = await refused(
      changeDevice(context, user, { customer_id: customerId }, device.id, { space_id: foreign }),
    )
    assert.equal(refusal.status, 404)
    assert.equal(
      (await changeDevice(context, user, { customer_id: customerId }, device.id, { space_id: null })).space_id,
      null,
    )
    await assert.rejects(async () => {
      await changeDevice(context, user, { customer_id: customerId }, device.id, { space_id: space })
      await sql`delete from spaces where id = ${space}`
    }, /foreign key/)
  })
})
