import { Type } from 'typebox'
import type { Context } from '../../../context.ts'
import { listClaimableModels } from '../../../devices/registry/models.ts'
import { PageOf, PageQuery } from '../../../platform/http/pagination.ts'
import { Id } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/server.ts'

const Model = Type.Object({ id: Id, name: Type.String(), partner_name: Type.String() })

export function modelRoutes(app: App, context: Context): void {
  app.get(
    '/models',
    {
      schema: {
        summary: 'List the models whose devices can be claimed',
        tags: ['Organization: devices'],
        querystring: Type.Object(PageQuery),
        response: { 200: PageOf(Model) },
      },
    },
    async (request) => listClaimableModels(context, request.query),
  )
}
