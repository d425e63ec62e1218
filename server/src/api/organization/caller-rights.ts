import { approverOf } from '../../authorization/consent/connected-apps.ts'
import { holdGrant } from '../../authorization/token/grants.ts'
import { apiKeyLimits, fullRights, type PeopleRights } from '../../directory/accounts/people-rights.ts'
import type { Caller } from './authenticate-organization.ts'

/** A person in the portal has full rights; a token or an API key must not create an administrator who outlives its revocation. */
export function peopleRights(caller: Caller): PeopleRights {
  const { actor, customer_id, client_id, grant_id } = caller
  if (actor.kind === 'api_key') return { actor, limits: apiKeyLimits(actor.id) }
  if (grant_id === null || client_id === null) return fullRights(actor)
  return {
    actor,
    limits: {
      approvedBy: (sql) => approverOf(sql, client_id, customer_id),
      hold: (sql) => holdGrant(sql, grant_id),
    },
  }
}
