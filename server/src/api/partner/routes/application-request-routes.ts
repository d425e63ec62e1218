import { Type } from 'typebox'
import {
  changeRequest,
  getOwnRequest,
  listOwnRequests,
  requestApplication,
  withdrawRequest,
} from '../../../directory/partners/application-requests.ts'
import type { App } from '../../../platform/http/app.ts'
import { Empty, IdPath, Instant, Nullable, refusals } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import {
  ApplicationLook,
  IdTokenAlg,
  Logo,
  NewApplication,
  RedirectUris,
  WantedApplication,
} from '../../shared/directory-schemas.ts'
import { guardedChange, paged, tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate-partner.ts'

const route = tagged('Partner: applications')

const Wish = Type.Object(
  { ...NewApplication, logo: Type.Optional(Nullable(Logo)) },
  { title: 'ApplicationWish', description: 'An application to ask for.', additionalProperties: false },
)
const ChangedWish = Type.Object(
  {
    ...ApplicationLook,
    redirect_uris: Type.Optional(RedirectUris),
    id_token_alg: Type.Optional(IdTokenAlg),
  },
  {
    title: 'ApplicationWishChange',
    description: 'What to change about a request; what is absent stays.',
    additionalProperties: false,
  },
)
const ApplicationRequest = Type.Object(
  {
    ...WantedApplication,
    refused_at: Nullable(
      Type.Unsafe<Date>({ ...Instant, description: 'When the operator refused it. Null: it waits for the operator.' }),
    ),
    reason: Nullable(Type.String({ description: 'Why the operator refused it.' })),
  },
  { title: 'ApplicationRequest', description: 'A new application that waits for the operator, or was refused.' },
)
const OneRequest = Type.Object(
  { ...ApplicationRequest.properties, logo: Nullable(Logo) },
  { title: 'ApplicationRequestWithLogo', description: 'A requested application, with the wanted logo.' },
)

export function applicationRequestRoutes(app: App, context: Context): void {
  app.post(
    '/application-requests',
    route({
      creates: 'application_requests',
      summary: 'Ask for a new application',
      description:
        'It waits for the operator, who registers it and hands over its secret. Once approved, the request is gone and ' +
        'its id is the `client_id` of the application.',
      body: Wish,
      response: { 201: ApplicationRequest, ...refusals({ 409: ['name_confusable'] }) },
    }),
    async (request, reply) => {
      const { actor, partner_id } = callerOf(request)
      return reply.code(201).send(await requestApplication(context, actor, partner_id, request.body))
    },
  )

  app.get(
    '/application-requests',
    route({
      reads: 'bounded',
      summary: 'List the new applications that you asked for',
      description: 'Those that wait for the operator, and those that it refused.',
      ...paged(ApplicationRequest),
    }),
    async (request) => listOwnRequests(context, callerOf(request).partner_id, request.query),
  )

  app.get(
    '/application-requests/:id',
    route({
      reads: 'bounded',
      summary: 'Get a request for a new application',
      description: 'With the wanted logo. 404 once it is approved: the application has the same id.',
      params: IdPath,
      response: { 200: OneRequest },
    }),
    async (request) => getOwnRequest(context, callerOf(request).partner_id, request.params.id),
  )

  app.patch(
    '/application-requests/:id',
    route({
      summary: 'Change a request for a new application',
      description: 'One that was refused waits for the operator again.',
      params: IdPath,
      body: ChangedWish,
      ...guardedChange(OneRequest, { 409: ['name_confusable'] }),
    }),
    async (request) => {
      const { actor, partner_id: partnerId } = callerOf(request)
      const target = { partnerId, id: request.params.id, ifMatch: request.headers['if-match'] }
      return changeRequest(context, actor, target, request.body)
    },
  )

  app.delete(
    '/application-requests/:id',
    route({
      summary: 'Withdraw a request for a new application',
      description: 'A refused request is put away.',
      params: IdPath,
      response: { 204: Empty },
    }),
    async (request, reply) => {
      const { actor, partner_id } = callerOf(request)
      await withdrawRequest(context, actor, partner_id, request.params.id)
      return reply.code(204).send()
    },
  )
}
