import type { CustomerAuditEvent } from '../api/organization.ts'
import { AuditLog } from '../components/audit/audit-log.tsx'
import { useCustomerReader } from './audit-reader.ts'

/** A record and not a list, so that the compiler finds a type that is missing or never written. */
const types: Record<CustomerAuditEvent['type'], true> = {
  'api_key.changed': true,
  'api_key.created': true,
  'api_key.expiring': true,
  'api_key.revoked': true,
  'api_key.rotated': true,
  'approval.changed': true,
  'approval.declined': true,
  'approval.given': true,
  'approval.permissions_changed': true,
  'approval.requested': true,
  'approval.withdrawn': true,
  'authorization_code.reused': true,
  'command.canceled': true,
  'command.created': true,
  'command.finished': true,
  'customer.created': true,
  'customer.renamed': true,
  'customer.second_factor_policy_changed': true,
  'data.exported': true,
  'device.changed': true,
  'device.claim_failed': true,
  'device.claimed': true,
  'device.removed': true,
  'device.replace_opened': true,
  'device.updated': true,
  'grant.connected': true,
  'grant.opened': true,
  'grant.revoked': true,
  'group.created': true,
  'group.deleted': true,
  'group.member_added': true,
  'group.member_removed': true,
  'group.renamed': true,
  'group.roles_changed': true,
  'member.added': true,
  'member.changed': true,
  'member.invitation_ended': true,
  'member.invitation_link_ended': true,
  'member.invitation_link_made': true,
  'member.invitation_withdrawn': true,
  'member.invited': true,
  'member.joined': true,
  'member.removed': true,
  'member.roles_changed': true,
  'member.second_factor_reset': true,
  'member.second_factor_reset_cancelled': true,
  'member.second_factor_reset_confirmed': true,
  'member.second_factor_reset_requested': true,
  'member.sessions_ended': true,
  'partner.created': true,
  'password.reset_link_ended': true,
  'password.reset_link_made': true,
  'refresh_token.replayed': true,
  'settings.changed': true,
  'settings.template_changed': true,
  'space.changed': true,
  'space.created': true,
  'space.deleted': true,
}

export function CustomerAuditLog() {
  return (
    <AuditLog
      types={Object.keys(types) as CustomerAuditEvent['type'][]}
      readerOf={useCustomerReader()}
      about="Everything that happened in this organization, newest first. Nobody can edit or delete entries."
    />
  )
}
