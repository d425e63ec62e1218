import type { Status } from '../components/status.tsx'
import type { DataPoint } from './organization.ts'

/** What the partner API answers; the names are the wire's own. */
export interface PartnerInfo {
  id: string
  name: string
  portal_domain: string | null
  accent_color: string | null
  logo: string | null
  lab_customer_id: string | null
  created_at: string
}

export interface Application {
  client_id: string
  name: string
  redirect_uris: string[]
  id_token_alg: 'RS256' | 'ES256'
  enabled: boolean
  secret_rotation_requested_at: string | null
  created_at: string
  secrets: { hint: string; created_at: string; expires_at: string | null }[]
}

export interface Model {
  id: string
  name: string
  authentication_method: string
  offline_after_seconds: number
  created_at: string
}

export interface HardwareKey {
  id: string
  hardware_key: string
  uses: number
  last_used_at: string | null
  created_at: string
  revoked_at: string | null
}

export interface FleetDevice {
  id: string
  model_id: string
  mac: string
  sn: string
  firmware_version: string
  registered_at: string
  claimed: boolean
  claimed_at: string | null
  status: Status
  last_seen_at: string | null
  replace_until: string | null
}

export interface FleetDeviceWithState extends FleetDevice {
  state: Record<string, DataPoint>
}

export interface Failure {
  id: string
  at: string
  request_id: string
  endpoint: string
  status: number
  error: string
  description: string | null
  reason: string
  detail: string | null
  advice: string
  application_id: string | null
  model_id: string | null
  device_id: string | null
}

export interface Webhook {
  id: string
  url: string
  description: string | null
  events: string[]
  enabled: boolean
  disabled_at: string | null
  disabled_because: 'by_partner' | 'gone' | 'failing' | null
  failing_since: string | null
  previous_secret_expires_at: string | null
  created_at: string
}

export interface Delivery {
  event_id: string
  type: string
  state: 'pending' | 'delivered' | 'failed'
  queued_at: string
  attempts: number
  next_attempt_at: string | null
  next_attempt_reason: 'under_way' | 'queued' | 'retry_delay' | 'event_type_failing' | null
  attempted_at: string | null
  response_status: number | null
  failure: string | null
  duration_ms: number | null
  payload: string
}

export const eventTypes = [
  'device.registered',
  'device.updated',
  'device.claimed',
  'device.removed',
  'device.status_changed',
  'grant.revoked',
  'approval.withdrawn',
  'application.disabled',
]
