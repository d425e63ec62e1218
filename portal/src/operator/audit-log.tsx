import { AuditLog } from '../components/audit-log.tsx'

const types = [
  'partner.created',
  'application.created',
  'application.disabled',
  'client_secret.rotated',
  'grant.revoked',
  'approval.withdrawn',
  'refresh_token.replayed',
  'device.claimed',
  'device.updated',
  'device.removed',
  'session.signed_in',
  'session.sign_in_failed',
]

export function OperatorAuditLog() {
  return (
    <AuditLog
      types={types}
      about="Everything that happened on this service, newest first. Nobody can edit or delete entries."
    />
  )
}
