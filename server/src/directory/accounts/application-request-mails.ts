import type { Actor } from '../../events/audit.ts'
import type { Context } from '../../events/context.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { applicationRequestMail, type WishedApplication } from './mails/organization-mails.ts'
import { mailManagers } from './recipients.ts'

/** In the transaction in which a partner asks for an application, or the operator decides; not to the person who did. */
export async function tellOfApplicationRequest(
  context: Context,
  sql: Sql,
  actor: Actor,
  { partner_id, ...wish }: WishedApplication & { partner_id: string },
): Promise<void> {
  await mailManagers(context, sql, 'applications', [
    {
      target_id: partner_id,
      ...(actor.kind === 'user' ? { except: actor.id } : {}),
      write: (to, partner) => applicationRequestMail(to, wish, partner),
    },
  ])
}
