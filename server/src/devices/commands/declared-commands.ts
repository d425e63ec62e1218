import { isDeepStrictEqual } from 'node:util'
import { type Actor, recordAudit } from '../../events/audit.ts'
import { transaction } from '../../platform/database/database.ts'
import { requireMatch } from '../../platform/http/etag.ts'
import { found, invalid, notFound } from '../../platform/refusal.ts'
import type { Context } from '../context.ts'
import * as store from '../store/declared-commands-sql.ts'
import { type CustomerOwner, findDevice } from '../store/devices-sql.ts'
import { type DictionaryEntry, findDictionaryOfDevice } from '../store/dictionaries.ts'
import { findModel, lockModel } from '../store/models-sql.ts'
import { problemsOfDeclared } from './declared-command-rules.ts'

export interface DeclaredCommands {
  /** In the order in which they are shown. */
  commands: store.DeclaredCommand[]
}

/** Another partner's model is reported as unknown. */
export async function getDeclaredCommands(
  context: Context,
  partnerId: string,
  modelId: string,
): Promise<DeclaredCommands> {
  return { commands: found(await store.findDeclaredCommands(context.sql, partnerId, modelId), 'model') }
}

/**
 * Replaces all commands of a model; the same ones again change nothing and leave no audit event. Commands that wait were
 * accepted under the declaration before, and stay.
 */
export async function replaceDeclaredCommands(
  context: Context,
  actor: Actor,
  { partner_id, model_id, ifMatch }: { partner_id: string; model_id: string; ifMatch?: string | undefined },
  { commands }: DeclaredCommands,
): Promise<DeclaredCommands> {
  return await transaction(context.sql, async (sql) => {
    if (!(await lockModel(sql, partner_id, model_id))) throw notFound('model')
    const before = (await store.findDeclaredCommands(sql, partner_id, model_id))!
    requireMatch(ifMatch, { commands: before })
    const problems = problemsOfDeclared(commands)
    if (problems.length > 0) throw invalid(...problems)
    if (isDeepStrictEqual(before, commands)) return { commands: before }
    const after = await store.updateDeclaredCommands(sql, model_id, commands)
    const { name } = (await findModel(sql, partner_id, model_id))!
    const names = (list: store.DeclaredCommand[]) => list.map((command) => command.name)
    const added = names(after).filter((one) => !names(before).includes(one))
    const removed = names(before).filter((one) => !names(after).includes(one))
    const details = { model_id, name, commands: after.length, added, removed }
    await recordAudit(sql, { type: 'model.commands_changed', at: context.now(), actor, partner_id, details })
    return { commands: after }
  })
}

/** What a device of the customer can be asked to do, and which data points can be set. */
export async function getCommandsOfDevice(
  context: Context,
  owner: CustomerOwner,
  deviceId: string,
): Promise<DeclaredCommands & { settable: DictionaryEntry[] }> {
  found(await findDevice(context.sql, owner, deviceId), 'device')
  const [commands, dictionary] = await Promise.all([
    store.findCommandsOfDevice(context.sql, deviceId),
    findDictionaryOfDevice(context.sql, deviceId),
  ])
  return { commands, settable: dictionary.filter((entry) => 'settable' in entry && entry.settable === true) }
}
