import { AuditLog } from '../components/audit-log.tsx'
import { type EventType, wordings } from '../components/audit-sentences.ts'
import { useOperatorReader } from './audit-reader.ts'

const types = Object.keys(wordings) as EventType[]

export function OperatorAuditLog() {
  return (
    <AuditLog
      types={types}
      reader={useOperatorReader()}
      about="Everything that happened on this service, newest first. Nobody can edit or delete entries."
    />
  )
}
