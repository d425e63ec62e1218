// What an API key and an approval of the release before may do: the same after the upgrade, and nothing that is new.
import assert from 'node:assert/strict'
import type { FleetDevice } from '../../bench/devices/fleet.ts'
import type { Pool } from '../../server/src/platform/database/sql.ts'
import { newId } from '../../server/src/platform/secrets/identifiers.ts'
import { digest, mintSecret } from '../../server/src/platform/secrets/secrets.ts'
import { refreshAt } from '../support/calls.ts'
import type { Chain } from '../support/seeded-grants.ts'

export interface Rights {
  /** The values of the header `authorization`. */
  credentials: Record<'API key' | 'access token', string>
  deviceId: string
  /** The status of each read by each of them, on the release before. */
  reads: Record<string, number>
}

const organization = '/core/v1/organization'
const nowhere = newId()
const readsOf = (deviceId: string) => [
  ...['/devices', `/devices/${deviceId}`, `/devices/${nowhere}`, `/devices/${deviceId}/history`, '/devices?limit=0'],
  ...['/spaces', '/users', '/groups', '/api-keys'],
]

/** Before the migration, in the tables as the release before knows them: rows of its own have no other columns. */
export async function giveRights(sql: Pool, url: string, chain: Chain, { id }: FleetDevice): Promise<Rights> {
  const [grant] = await sql`select customer_id from grants where client_id = ${chain.client_id}`
  const { customer_id } = grant!
  await sql`insert into approvals (client_id, customer_id, approved_at) values (${chain.client_id}, ${customer_id}, now())`
  const key = mintSecret('api_key')
  await sql`
    insert into api_keys (id, customer_id, name, digest, hint, created_at)
    values (${newId()}, ${customer_id}, 'Before', ${digest(key)}, 'lbk_', now())`
  await sql`update devices set customer_id = ${customer_id}, claimed_at = now() where id = ${id}`
  const { status, body } = await refreshAt(url, chain)
  assert.equal(status, 200, JSON.stringify(body))
  const credentials = { 'API key': key, 'access token': `Bearer ${body.access_token}` }
  const rights = { credentials, deviceId: id, reads: {} }
  const reads = await readAll(url, rights)
  for (const name of Object.keys(credentials)) {
    assert.equal(reads[`${name}: /devices/${id}`], 200, JSON.stringify(reads))
  }
  return { ...rights, reads }
}

/** By this tree: reads as before, and no command, since nobody has said that they may. */
export async function requireSameRights(url: string, rights: Rights): Promise<void> {
  assert.deepEqual(await readAll(url, rights), rights.reads)
  const { credentials, deviceId } = rights
  for (const [name, authorization] of Object.entries(credentials)) {
    const calls: [string, object][] = [
      [`/devices/${deviceId}/commands`, { name: 'reboot' }],
      ['/devices/commands', { name: 'reboot', device_ids: [deviceId] }],
    ]
    for (const [path, json] of calls) {
      const headers = { authorization, 'content-type': 'application/json' }
      const reply = await fetch(`${url}${organization}${path}`, { method: 'POST', headers, body: JSON.stringify(json) })
      assert.equal(reply.status, 403, `${name}: POST ${path}: ${reply.status} ${await reply.text()}`)
    }
  }
}

async function readAll(url: string, { credentials, deviceId }: Omit<Rights, 'reads'>): Promise<Record<string, number>> {
  const reads: Record<string, number> = {}
  for (const [name, authorization] of Object.entries(credentials)) {
    for (const path of readsOf(deviceId)) {
      const reply = await fetch(`${url}${organization}${path}`, { headers: { authorization } })
      await reply.body?.cancel()
      reads[`${name}: ${path}`] = reply.status
    }
  }
  return reads
}
