import { AuditLog } from '../components/audit/audit-log.tsx'
import { type EventType, wordings } from '../components/audit/audit-sentences.ts'
import { operatorReader } from './audit-reader.ts'

const types = Object.keys(wordings) as EventType[]

export function OperatorAuditLog() {
  return (
    <AuditLog
      types={types}
      readerOf={operatorReader}
      about="Everything that happened on this service, newest first. Nobody can edit or delete entries."
    />
  )
}
