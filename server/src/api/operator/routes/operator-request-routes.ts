import { Type } from 'typebox'
import {
  approveRequest,
  findWaiting,
  getWaitingRequest,
  listWaitingRequests,
  refuseRequest,
} from '../../../directory/partners/application-requests.ts'
import type { App } from '../../../platform/http/app.ts'
import { Empty, Id, IdPath, Nullable, refusals } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { Logo, WantedApplication } from '../../shared/directory-schemas.ts'
import { paged, tagged } from '../../shared/route-schemas.ts'
import { operator } from '../authenticate-operator.ts'
import { CreatedApplication } from './operator-application-routes.ts'
import { Approval, ReasonedRefusal } from './operator-presentation-routes.ts'

const route = tagged('Operator: applications')

const WaitingRequest = Type.Object(
  {
    ...WantedApplication,
    partner_id: Id,
    partner_name: Type.String(),
    partner_domain: Nullable(Type.String()),
  },
  { title: 'WaitingApplicationRequest', description: 'A new application that a partner asks for.' },
)
const OneRequest = Type.Object(
  { ...WaitingRequest.properties, logo: Nullable(Logo) },
  { title: 'WaitingApplicationRequestWithLogo', description: 'A requested application, with the wanted logo.' },
)

const Waiting = Type.Object(
  {
    changes: Type.Integer({ description: 'Changes of what people see, counted up to 100.' }),
    applications: Type.Integer({ description: 'New applications, counted up to 100.' }),
    secrets: Type.Array(Type.Object({ client_id: Id, name: Type.String() }), {
      description: 'Applications whose partner asks for a new secret, up to 100.',
    }),
  },
  { title: 'WaitingRequests', description: 'The requests of partners that wait for the operator.' },
)

export function applicationRequestRoutes(app: App, context: Context): void {
  app.get(
    '/waiting-requests',
    route({
      reads: 'bounded',
      summary: 'See which requests of partners wait',
      description: 'Changes of what people see, new applications, and new secrets of applications.',
      response: { 200: Waiting },
    }),
    async () => findWaiting(context),
  )

  app.get(
    '/application-requests',
    route({
      reads: 'bounded',
      summary: 'List the new applications that partners ask for',
      description: 'Those that wait, the oldest first.',
      ...paged(WaitingRequest),
    }),
    async (request) => listWaitingRequests(context, request.query),
  )

  app.get(
    '/application-requests/:id',
    route({
      reads: 'bounded',
      summary: 'Get a request for a new application',
      description: 'With the wanted logo of this revision.',
      params: IdPath,
      response: { 200: OneRequest },
    }),
    async (request) => getWaitingRequest(context, request.params.id),
  )

  app.post(
    '/application-requests/:id/approve',
    route({
      creates: 'applications',
      summary: 'Approve a request for a new application',
      description:
        'Registers the application; the id of the request is its `client_id`. Hand the secret over to the partner: it is ' +
        'not shown again. The name is checked again: another partner may have taken one like it.',
      params: IdPath,
      body: Approval,
      response: { 201: CreatedApplication, ...refusals({ 409: ['change_replaced', 'name_confusable'] }) },
    }),
    async (request, reply) => {
      const reviewed = { id: request.params.id, ...request.body }
      return reply.code(201).send(await approveRequest(context, operator, reviewed))
    },
  )

  app.post(
    '/application-requests/:id/refuse',
    route({
      creates: { unlimited: 'decides about a request that exists' },
      summary: 'Refuse a request for a new application',
      description: 'The partner sees the reason, and can change its request and ask again.',
      params: IdPath,
      body: ReasonedRefusal,
      response: { 204: Empty, ...refusals({ 409: ['change_replaced'] }) },
    }),
    async (request, reply) => {
      await refuseRequest(context, operator, { id: request.params.id, ...request.body })
      return reply.code(204).send()
    },
  )
}
