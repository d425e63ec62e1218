import { AuditLog } from '../components/audit-log.tsx'
import { useActorNames } from './actors.ts'

const types = [
  'approval.created',
  'approval.narrowed',
  'approval.withdrawn',
  'grant.revoked',
  'refresh_token.replayed',
  'device.claimed',
  'device.updated',
  'device.removed',
]

export function CustomerAuditLog() {
  return (
    <AuditLog
      types={types}
      names={useActorNames()}
      about="What happened in this organization, newest first. Nobody can change or delete it."
    />
  )
}
