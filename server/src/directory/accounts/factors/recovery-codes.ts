import { randomInt } from 'node:crypto'
import type { Sql } from '../../../platform/database/sql.ts'
import type { Context } from '../../context.ts'
import * as store from '../../store/factors-sql.ts'

const codes = 10
/** With fewer left, the account page warns. */
export const fewRecoveryCodes = 4
const characters = 12

/** Crockford's base 32: no letter that can be mistaken for another or for a digit. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** `xxxx-xxxx-xxxx`: 60 random bits. */
function mintRecoveryCode(): string {
  const text = Array.from({ length: characters }, () => alphabet[randomInt(alphabet.length)]).join('')
  return text.match(/.{4}/g)!.join('-')
}

/** As a person may type it: in capitals, without hyphens, with the letters that stand for a digit. */
function normalize(code: string): string {
  return code.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1')
}

/** Keyed, so that a reader of the database cannot try out codes. */
function digestOf(context: Context, userId: string, code: string): Buffer {
  return context.masterKey.keyedDigest('recovery code', `${userId} ${normalize(code)}`)
}

/** Returned once, for the person to keep; they replace all earlier ones. Within the transaction of the caller. */
export async function replaceRecoveryCodes(context: Context, sql: Sql, userId: string): Promise<string[]> {
  const fresh = Array.from({ length: codes }, mintRecoveryCode)
  await store.deleteRecoveryCodes(sql, userId)
  const digests = fresh.map((code) => digestOf(context, userId, code))
  await store.insertRecoveryCodes(sql, userId, digests, context.now())
  return fresh
}

export async function presentRecoveryCode(context: Context, sql: Sql, userId: string, code: string): Promise<boolean> {
  if (normalize(code).length !== characters) return false
  return await store.spendRecoveryCode(sql, userId, digestOf(context, userId, code), context.now())
}
