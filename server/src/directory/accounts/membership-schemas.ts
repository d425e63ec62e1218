import { Type } from 'typebox'
import { Id, Name } from '../../platform/http/schemas.ts'

export const PartnerMembership = Type.Object(
  { id: Id, name: Name },
  { title: 'PartnerMembership', description: 'A partner that the person works for.' },
)
