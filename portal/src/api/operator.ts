import type { Application as PartnerApplication } from './partner.ts'

export interface Partner {
  id: string
  name: string
  portal_domain: string | null
  created_at: string
}

export interface Application extends PartnerApplication {
  partner_id: string
}

export interface OneApplication extends Application {
  active_grants: number
}

export interface Customer {
  id: string
  partner_id: string
  name: string
  lab: boolean
  created_at: string
}

export interface SigningKey {
  kid: string
  alg: 'RS256' | 'ES256'
  state: 'published' | 'signing' | 'retired'
  created_at: string
  signs_from: string
  signs_until: string | null
  published_until: string | null
}

export interface Limit {
  what: string
  per: string
  max: number
  window_seconds: number
}

/** A length or a lifetime. */
export interface Bound {
  what: string
  max: number
  unit: 'characters' | 'seconds'
}
