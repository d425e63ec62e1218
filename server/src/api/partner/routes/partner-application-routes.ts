import { Type } from 'typebox'
import {
  changeOwnApplication,
  getApplicationOf,
  listApplicationsOfPartner,
} from '../../../directory/partners/applications.ts'
import { requestSecretRotation } from '../../../directory/partners/client-secrets.ts'
import type { App } from '../../../platform/http/app.ts'
import { Name } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { Application, ApplicationLook, ClientPath, RedirectUris } from '../../shared/directory-schemas.ts'
import { guardedChange, paged, tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate-partner.ts'

const route = tagged('Partner: applications')

const ApplicationChange = Type.Object(
  {
    ...ApplicationLook,
    redirect_uris: Type.Optional(RedirectUris),
  },
  {
    title: 'ApplicationChange',
    description: 'What to change about an application; what is absent stays.',
    additionalProperties: false,
    minProperties: 1,
  },
)

const RotationRequest = Type.Object(
  {
    reason: Type.Enum(['leaked', 'lost', 'routine'], {
      description: 'A leaked secret should be rotated without an overlap.',
    }),
    note: Type.Optional(Name),
  },
  { title: 'SecretRotationRequest', description: 'Why the secret should be rotated.', additionalProperties: false },
)

export function applicationRoutes(app: App, context: Context): void {
  app.get(
    '/applications',
    route({
      reads: 'bounded',
      summary: 'List applications',
      description: 'The applications of this partner.',
      ...paged(Application),
    }),
    async (request) => listApplicationsOfPartner(context, callerOf(request).partner_id, request.query),
  )

  app.get(
    '/applications/:client_id',
    route({
      reads: 'bounded',
      summary: 'Get an application',
      description: 'With its redirect URIs and its secrets by first characters.',
      params: ClientPath,
      response: { 200: Application },
    }),
    async (request) => getApplicationOf(context, callerOf(request).partner_id, request.params.client_id),
  )

  app.patch(
    '/applications/:client_id',
    route({
      summary: "Change an application's name, home page, logo, requested permissions or redirect URIs",
      description:
        'Name, home page, logo and requested permissions are shown at consent: a change of them waits for the operator ' +
        '(`requested_change`), except in a lab. A redirect URI that is no longer listed stops working at once.',
      params: ClientPath,
      body: ApplicationChange,
      ...guardedChange(Application, { 409: ['name_confusable'] }),
    }),
    async (request) => {
      const { actor, partner_id: partnerId } = callerOf(request)
      const target = { partnerId, clientId: request.params.client_id, ifMatch: request.headers['if-match'] }
      return changeOwnApplication(context, actor, target, request.body)
    },
  )

  app.post(
    '/applications/:client_id/secret-rotation',
    route({
      creates: { unlimited: 'changes an application that exists' },
      summary: "Ask the operator to rotate an application's secret",
      description: 'The operator sees the request next to the application, and hands over the new secret.',
      params: ClientPath,
      body: RotationRequest,
      response: { 202: Application },
    }),
    async (request, reply) => {
      const { actor, partner_id } = callerOf(request)
      const { client_id } = request.params
      return reply.code(202).send(await requestSecretRotation(context, actor, partner_id, client_id, request.body))
    },
  )
}
