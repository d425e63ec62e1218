import { recordAudit } from '../../events/audit.ts'
import { isUniqueViolation, transaction } from '../../platform/database/database.ts'
import { StartFailure } from '../../platform/process/start-failure.ts'
import { bucketCount } from '../bucket.ts'
import type { Context } from '../context.ts'
import * as store from '../store/hub-cells-sql.ts'
import { cellsChangedTopic } from './cell-map.ts'

/** Decision 3.18: a process that starts names its cell and its addresses; the first cell of a database gets every bucket. */
export async function joinCell(context: Context): Promise<void> {
  const { config, addresses, log } = context
  const { cell: name } = config
  if (name === null) return
  const own: store.CellAddresses = {
    hub_url: addresses.hubUrl,
    hub_url_static_cert: addresses.staticCertUrl,
    mqtt_hub_url: addresses.mqttUrl,
  }
  try {
    const before = await writeCell(context, name, own)
    // Not refused: when a cell gets new addresses, its processes are restarted one after the other.
    if (before) log.warn({ cell: name, before, now: own }, 'the addresses of this hub cell have changed')
  } catch (error) {
    throw addressTaken(error) ?? error
  }
  await context.cells.read()
}

/** The addresses that the cell had until now, if they were others. */
async function writeCell(
  context: Context,
  name: string,
  own: store.CellAddresses,
): Promise<store.CellAddresses | undefined> {
  const at = context.now()
  return await transaction(context.sql, async (sql) => {
    await store.lockCells(sql)
    const cells = await store.listCells(sql)
    const before = cells.find((cell) => cell.name === name)
    const changed = before !== undefined && fields.some((field) => before[field] !== own[field])
    const actor = { kind: 'system' } as const
    const details = { cell: name, ...own }
    if (before) await store.updateAddresses(sql, name, own, at)
    else {
      await store.insertCell(sql, name, own, at)
      await recordAudit(sql, { type: 'hub_cell.added', at, actor, details })
      if (cells.length === 0) await store.insertBuckets(sql, name, bucketCount, at)
    }
    if (changed) await recordAudit(sql, { type: 'hub_cell.addresses_changed', at, actor, details })
    await context.notifications.publish(sql, cellsChangedTopic, [name])
    if (!changed) return undefined
    const { hub_url, hub_url_static_cert, mqtt_hub_url } = before
    return { hub_url, hub_url_static_cert, mqtt_hub_url }
  })
}

const fields = ['hub_url', 'hub_url_static_cert', 'mqtt_hub_url'] as const

const variables = {
  hub_cells_by_hub_url: 'LANDBRIDGE_HUB_URL',
  hub_cells_by_static_cert_url: 'LANDBRIDGE_STATIC_CERT_URL',
  hub_cells_by_mqtt_url: 'LANDBRIDGE_MQTT_URL',
}

function addressTaken(error: unknown): StartFailure | undefined {
  for (const [constraint, variable] of Object.entries(variables)) {
    if (!isUniqueViolation(error, constraint)) continue
    return new StartFailure(addressTakenText(variable))
  }
  return undefined
}

function addressTakenText(variable: string): string {
  return `${variable} is the address of another hub cell: each cell (LANDBRIDGE_CELL) has its own.`
}

/** What a start with these addresses would be refused for, if other cells have one of them; for `doctor`. */
export function findTakenAddress(
  name: string,
  given: Partial<store.CellAddresses>,
  cells: readonly store.HubCell[],
): string | undefined {
  const taken = fields.findIndex((field) => cells.some((cell) => cell.name !== name && cell[field] === given[field]))
  return taken < 0 ? undefined : addressTakenText(Object.values(variables)[taken]!)
}
