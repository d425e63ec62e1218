import { Type } from 'typebox'
import type { Context } from '../../../context.ts'
import { Application, ClientPath, RedirectUris } from '../../../directory/organization/responses.ts'
import { getApplicationOf, listApplicationsOfPartner } from '../../../directory/partners/applications.ts'
import { askForSecretRotation } from '../../../directory/partners/secret-rotation-requests.ts'
import { IfMatch } from '../../../platform/http/etag.ts'
import { PageOf, PageQuery } from '../../../platform/http/pagination.ts'
import { Name, refusals } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/server.ts'
import { changeOwnApplication } from '../applications.ts'
import { callerOf } from '../authenticate.ts'

const tags = ['Partner: applications']

const ApplicationChange = Type.Object(
  {
    name: Type.Optional(Name),
    redirect_uris: Type.Optional(RedirectUris),
  },
  { additionalProperties: false, minProperties: 1 },
)

const RotationRequest = Type.Object(
  {
    reason: Type.Enum(['leaked', 'lost', 'routine'], { description: 'A leaked secret should have no overlap.' }),
    note: Type.Optional(Name),
  },
  { additionalProperties: false },
)

export function applicationRoutes(app: App, context: Context): void {
  app.get(
    '/applications',
    {
      schema: {
        summary: 'List applications',
        tags,
        querystring: Type.Object(PageQuery),
        response: { 200: PageOf(Application) },
      },
    },
    async (request) => listApplicationsOfPartner(context, callerOf(request).partner_id, request.query),
  )

  app.get(
    '/applications/:client_id',
    { schema: { summary: 'Get an application', tags, params: ClientPath, response: { 200: Application } } },
    async (request) => getApplicationOf(context, callerOf(request).partner_id, request.params.client_id),
  )

  app.patch(
    '/applications/:client_id',
    {
      schema: {
        summary: "Change an application's name or redirect URIs",
        tags,
        params: ClientPath,
        headers: IfMatch,
        body: ApplicationChange,
        response: { 200: Application, ...refusals({ 412: ['changed_meanwhile'] }) },
      },
    },
    async (request) => {
      const { actor, partner_id: partnerId } = callerOf(request)
      const target = { partnerId, clientId: request.params.client_id, ifMatch: request.headers['if-match'] }
      return changeOwnApplication(context, actor, target, request.body)
    },
  )

  app.post(
    '/applications/:client_id/secret-rotation',
    {
      schema: {
        summary: "Ask the operator to rotate an application's secret",
        description: 'The operator sees the request with the application and hands over the new secret.',
        tags,
        params: ClientPath,
        body: RotationRequest,
        response: { 202: Application },
      },
    },
    async (request, reply) => {
      const { actor, partner_id } = callerOf(request)
      const { client_id } = request.params
      return reply.code(202).send(await askForSecretRotation(context, actor, partner_id, client_id, request.body))
    },
  )
}
