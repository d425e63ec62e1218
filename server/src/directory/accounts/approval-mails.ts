import type { Context } from '../../events/context.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { findActorNames } from '../store/users-sql.ts'
import { approvalGivenMail, approvalRequestedMail } from './mails/organization-mails.ts'
import { mailManagers } from './recipients.ts'

interface Approval {
  client_id: string
  customer_id: string
  /** Who asks, or approved: that person is not told. */
  user_id: string
}

const mails = { requested: approvalRequestedMail, given: approvalGivenMail }

/** In the transaction in which a member asks for an application, or an administrator approves one. */
export async function tellOfApproval(
  context: Context,
  sql: Sql,
  what: keyof typeof mails,
  { client_id, customer_id, user_id }: Approval,
): Promise<void> {
  if (!context.mail.enabled) return
  const names = new Map((await findActorNames(sql, [client_id, user_id])).map(({ id, name }) => [id, name]))
  const about = { application: names.get(client_id) ?? '', person: names.get(user_id) ?? '', customer_id }
  await mailManagers(context, sql, 'applications', [
    {
      target_id: customer_id,
      except: user_id,
      write: (to, organization) => mails[what](to, about, organization),
    },
  ])
}
