import type { Sql } from '../../platform/database/sql.ts'
import type { Value } from './dictionaries.ts'

export interface DeclaredParameter {
  key: string
  type: 'number' | 'boolean' | 'text'
  label?: string
  required?: boolean
  min?: number
  max?: number
  max_length?: number
  values?: Value[]
  secret?: boolean
}

/** A command that the devices of a model understand. */
export interface DeclaredCommand {
  name: string
  label?: string
  description?: string
  parameters?: DeclaredParameter[]
  confirm?: boolean
  requires_online?: boolean
  /** In seconds. */
  expires_after?: number
  timeout?: number
}

export async function findDeclaredCommands(
  sql: Sql,
  partnerId: string,
  modelId: string,
): Promise<DeclaredCommand[] | undefined> {
  const [row] = await sql<{ commands: DeclaredCommand[] }[]>`
    select commands from models where id = ${modelId} and partner_id = ${partnerId}`
  return row?.commands
}

export async function updateDeclaredCommands(
  sql: Sql,
  modelId: string,
  commands: readonly DeclaredCommand[],
): Promise<DeclaredCommand[]> {
  const [row] = await sql<{ commands: DeclaredCommand[] }[]>`
    update models set commands = ${sql.json(commands)} where id = ${modelId} returning commands`
  return row!.commands
}

/** The commands of a device's model; who owns the device was checked before. */
export async function findCommandsOfDevice(sql: Sql, deviceId: string): Promise<DeclaredCommand[]> {
  const [row] = await sql<{ commands: DeclaredCommand[] }[]>`
    select model.commands from devices device join models model on model.id = device.model_id
    where device.id = ${deviceId}`
  return row?.commands ?? []
}

export interface CommandOfModel {
  model_id: string
  command: DeclaredCommand
}

/** What each of the models declares under these names. */
export async function findCommandsOfModels(
  sql: Sql,
  modelIds: readonly string[],
  names: readonly string[],
): Promise<CommandOfModel[]> {
  return await sql<CommandOfModel[]>`
    select model.id as model_id, command
    from models model cross join lateral jsonb_array_elements(model.commands) command
    where model.id = any(${[...modelIds]}::uuid[]) and command ->> 'name' = any(${[...names]}::text[])`
}
