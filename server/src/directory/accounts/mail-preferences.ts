import type { Context } from '../context.ts'
import * as store from '../store/mail-recipients-sql.ts'
import { type OptionalMails, optionalMails } from './mails/organization-mails.ts'

const kinds = Object.keys(optionalMails) as OptionalMails[]

/** Which of the mails that can be switched off the person gets. */
export async function wantedMails({ sql }: Context, userId: string): Promise<Set<OptionalMails>> {
  const off = await store.findMailsOff(sql, userId)
  return new Set(kinds.filter((kind) => !off.includes(kind)))
}

/** All others are switched off. */
export async function chooseMails({ sql }: Context, userId: string, wanted: readonly string[]): Promise<void> {
  await store.setMailsOff(
    sql,
    userId,
    kinds.filter((kind) => !wanted.includes(kind)),
  )
}
