import { Type } from 'typebox'
import { getOwnChange, withdrawChange } from '../../../directory/partners/presentation-changes.ts'
import type { App } from '../../../platform/http/app.ts'
import { Empty, IdPath, Nullable } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { Logo, RequestedChange } from '../../shared/directory-schemas.ts'
import { tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate-partner.ts'

const route = tagged('Partner: info')

const OwnChange = Type.Object(
  { ...RequestedChange.properties, logo: Nullable(Logo) },
  { title: 'RequestedChangeWithLogo', description: 'A requested change, with the wanted logo.' },
)

export function presentationChangeRoutes(app: App, context: Context): void {
  app.get(
    '/presentation-changes/:id',
    route({
      reads: 'bounded',
      summary: 'Get a requested change of what people see',
      description: 'With the wanted logo. Its id is in `requested_change` of this partner or of an application.',
      params: IdPath,
      response: { 200: OwnChange },
    }),
    async (request) => getOwnChange(context, callerOf(request).partner_id, request.params.id),
  )

  app.delete(
    '/presentation-changes/:id',
    route({
      summary: 'Withdraw a requested change of what people see',
      description: 'What people see stays as it is. A refused request is put away.',
      params: IdPath,
      response: { 204: Empty },
    }),
    async (request, reply) => {
      const { actor, partner_id } = callerOf(request)
      await withdrawChange(context, actor, partner_id, request.params.id)
      return reply.code(204).send()
    },
  )
}
