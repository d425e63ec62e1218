import type { Status } from '../components/status.tsx'

/** What the organization API answers; the names are the wire's own. */
export interface Info {
  id: string
  name: string
  lab: boolean
  counts: {
    users: number
    groups: number
    spaces: number
  }
}

export type Value = number | string | boolean

export interface DataPoint {
  value: Value
  at: string
}

export interface Device {
  id: string
  name: string | null
  mac: string
  sn: string
  model_id: string
  space_id: string | null
  firmware_version: string
  status: Status
  last_seen_at: string | null
  claimed_at?: string | null
  registered_at?: string
  replace_until: string | null
}

export interface DeviceWithState extends Device {
  state: Record<string, DataPoint>
}

export interface Message {
  message_id: string | null
  timestamp: string
  received_at: string
  status: string | null
  telemetries: Record<string, Value>
}

export interface Space {
  id: string
  parent_id: string | null
  name: string
  synced: boolean
  synced_by?: string | null
  created_at: string
}

export interface Model {
  id: string
  name: string
  partner_name?: string
}

export interface User {
  id: string
  name: string
  email: string
  role: 'administrator' | 'member'
  active: boolean
  groups?: { id: string; name: string }[]
  created_at: string
}

export interface Group {
  id: string
  name: string
  created_at: string
}

export interface ApiKey {
  id: string
  name: string
  hint: string
  created_at: string
  last_used_at: string | null
  revoked_at?: string | null
}

export interface AuditEvent {
  id: string
  type: string
  at: string
  actor: { kind: string; id?: string; name?: string }
  application_id?: string | null
  customer_id?: string | null
  partner_id?: string | null
  device_id?: string | null
  details: Record<string, unknown>
}

export type Policy = { kind: 'everyone' } | { kind: 'administrators' } | { kind: 'group'; group_id: string }

export interface ConnectedApp {
  client_id: string
  name: string
  partner_name: string
  enabled: boolean
  policy: { kind: Policy['kind']; group_id: string | null; group_name: string | null }
  approved_at: string
  approved_by: { id: string; name: string; email: string } | null
  /** Null while it holds no tokens. */
  connected_at: string | null
  last_used_at: string | null
  user_count: number
  /** The latest of them. */
  users: { id: string; name: string; email: string }[]
}

export function deviceName({ name, sn }: { name: string | null; sn: string }): string {
  return name ?? `Device ${sn}`
}

export interface Invitation {
  id: string
  email: string
  name: string | null
  role: User['role'] | null
  /** Only the operator is told where it leads. */
  customer_id?: string | null
  partner_id?: string | null
  has_link: boolean
  made_by: { kind: 'operator' | 'user' | 'application' | 'api_key'; id: string | null; name: string | null }
  created_at: string
  expires_at: string
}
