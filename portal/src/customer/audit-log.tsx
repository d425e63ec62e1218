import { AuditLog } from '../components/audit-log.tsx'
import { useActorNames } from './actor-names.ts'

const types = [
  'approval.withdrawn',
  'device.claimed',
  'device.removed',
  'device.updated',
  'grant.opened',
  'grant.revoked',
  'refresh_token.replayed',
]

export function CustomerAuditLog() {
  return (
    <AuditLog
      types={types}
      useNames={useActorNames}
      about="Everything that happened in this organization, newest first. Nobody can edit or delete entries."
    />
  )
}
