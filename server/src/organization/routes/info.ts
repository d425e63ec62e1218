import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { describeOrganization } from '../../directory/organization-info.ts'
import type { App } from '../../platform/http.ts'
import { Id, Instant } from '../../platform/schemas.ts'
import { accessOf } from '../access.ts'

const Counts = Type.Object({ users: Type.Integer(), groups: Type.Integer(), spaces: Type.Integer() })
const Info = Type.Object({
  id: Id,
  name: Type.String(),
  lab: Type.Boolean({ description: "A partner's tenant for testing." }),
  created_at: Instant,
  counts: Counts,
})

export function infoRoutes(app: App, context: Context): void {
  app.get(
    '/info',
    { schema: { summary: 'What this organization is', tags: ['Organization: info'], response: { 200: Info } } },
    async (request) => describeOrganization(context, accessOf(request).customer_id),
  )
}
