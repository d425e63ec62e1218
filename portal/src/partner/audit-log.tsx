import { useParams } from 'react-router'
import type { PartnerAuditEvent } from '../api/partner.ts'
import { AuditLog } from '../components/audit/audit-log.tsx'
import type { Names, Reader } from '../components/audit/audit-sentences.ts'

/** A record and not a list, so that the compiler finds a type that is missing or never written. */
const types: Record<PartnerAuditEvent['type'], true> = {
  'api_key.changed': true,
  'api_key.created': true,
  'api_key.expiring': true,
  'api_key.revoked': true,
  'api_key.rotated': true,
  'application.changed': true,
  'application.created': true,
  'application.disabled': true,
  'application.enabled': true,
  'client_secret.rotated': true,
  'client_secret.rotation_requested': true,
  'customer.created': true,
  'data.exported': true,
  'device.claimed': true,
  'device.registered': true,
  'device.registered_again': true,
  'device.removed': true,
  'device.replace_opened': true,
  'device.updated': true,
  'hardware_key.added': true,
  'hardware_key.revoked': true,
  'member.invitation_ended': true,
  'member.invitation_link_ended': true,
  'member.invitation_link_made': true,
  'member.invitation_withdrawn': true,
  'member.invited': true,
  'member.joined': true,
  'model.changed': true,
  'model.commands_changed': true,
  'model.created': true,
  'model.dictionary_changed': true,
  'partner.changed': true,
  'partner.created': true,
  'partner_domain.entered': true,
  'partner_domain.lost': true,
  'partner_domain.removed': true,
  'partner_domain.verified': true,
  'partner_member.removed': true,
  'application_request.approved': true,
  'application_request.refused': true,
  'application_request.requested': true,
  'application_request.withdrawn': true,
  'presentation_change.approved': true,
  'presentation_change.refused': true,
  'presentation_change.requested': true,
  'presentation_change.withdrawn': true,
  'webhook.changed': true,
  'webhook.created': true,
  'webhook.deleted': true,
  'webhook.disabled': true,
  'webhook.secret_rotated': true,
}

export function PartnerAuditLog() {
  return (
    <AuditLog
      types={Object.keys(types) as PartnerAuditEvent['type'][]}
      readerOf={usePartnerReader()}
      about="What your people, applications and devices did, newest first. Actions of customers are shown without names. Nobody can edit or delete entries."
    />
  )
}

function usePartnerReader(): (names: Names) => Reader {
  const { partnerId } = useParams()
  const at = (path: string) => `/partner/${partnerId}${path}`
  return (names) => ({
    names: { ...names, [partnerId ?? '']: 'this partner' },
    byActor: false,
    unknown: 'A customer',
    auditLog: at('/audit-log'),
    pageOf: (thing, id) => {
      if (thing === 'device') return names[id] === undefined ? undefined : at(`/devices/${id}`)
      if (thing === 'application') return at(`/applications/${id}`)
      if (thing === 'model') return at(`/models/${id}`)
      return thing === 'user' && names[id] !== undefined ? at('/people') : undefined
    },
  })
}
