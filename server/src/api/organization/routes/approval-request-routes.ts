import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import {
  approveRequest,
  declineRequest,
  listApprovalRequests,
} from '../../../authorization/consent/approval-requests.ts'
import { changeable, getConnectedApp } from '../../../authorization/consent/connected-apps.ts'
import type { App } from '../../../platform/http/app.ts'
import { etagOf } from '../../../platform/http/etag.ts'
import { Empty, Id, IdPath, Instant, Nullable, refusals } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { paged, tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate-organization.ts'
import { ConnectedApp, Policy, sessionOnly, UserReference } from './connected-app-routes.ts'

const route = tagged('Organization: connected apps')
const description = 'Requires the portal session of an administrator.'

const ApprovalRequest = Type.Object(
  {
    id: Id,
    application: Type.Object(
      {
        client_id: Id,
        name: Type.String(),
        partner_name: Type.String(),
        partner_domain: Nullable(Type.String()),
        home_page: Nullable(Type.String()),
        logo: Nullable(Type.String({ description: 'The path of the logo.' })),
      },
      { title: 'RequestedApplication', description: 'The application to approve.' },
    ),
    user: UserReference,
    note: Nullable(Type.String({ description: 'What the person needs it for, in their own words.' })),
    requested_at: Instant,
  },
  { title: 'ApprovalRequest', description: 'A member asks the administrators to approve an application.' },
)

const Approval = Type.Object(
  { policy: Type.Optional(Policy) },
  {
    title: 'RequestApproval',
    description: 'Who may connect the application: everyone unless told otherwise.',
    additionalProperties: false,
  },
)

const decided = { ...sessionOnly, 409: ['already_decided'] } as const

/** The request, and the administrator who decides it. */
function target(request: FastifyRequest<{ Params: { id: string } }>) {
  const { customer_id, user_id } = callerOf(request)
  return { customer_id, user_id: user_id!, id: request.params.id }
}

export function approvalRequestRoutes(app: App, context: Context): void {
  app.get(
    '/approval-requests',
    route({
      permission: 'integrations: manage',
      reads: 'bounded',
      summary: 'List requests to approve an application',
      description: `Those that no administrator has decided, oldest first. ${description}`,
      ...paged(ApprovalRequest, {}, sessionOnly),
    }),
    async (request) => listApprovalRequests(context, callerOf(request).customer_id, request.query),
  )

  app.post(
    '/approval-requests/:id/approve',
    route({
      permission: 'integrations: manage',
      creates: { unlimited: 'one approval per application' },
      summary: 'Approve the application that was asked for',
      description: `Decides the requests of everybody here who asked for it; they connect it themselves. ${description}`,
      params: IdPath,
      body: Nullable(Approval),
      response: { 200: ConnectedApp, ...refusals(decided) },
    }),
    async (request, reply) => {
      const { customer_id, id, user_id } = target(request)
      const policy = request.body?.policy ?? { kind: 'everyone' as const }
      const { client_id } = await approveRequest(context, { customer_id, id, user_id }, policy)
      const approved = await getConnectedApp(context.sql, customer_id, client_id)
      return reply.header('etag', etagOf(changeable(approved))).send(approved)
    },
  )

  app.post(
    '/approval-requests/:id/decline',
    route({
      permission: 'integrations: manage',
      creates: { unlimited: 'changes a request that exists' },
      summary: 'Decline a request to approve an application',
      description: `The person is told, and can ask for this application again after seven days. ${description}`,
      params: IdPath,
      response: { 204: Empty, ...refusals(decided) },
    }),
    async (request, reply) => {
      await declineRequest(context, target(request))
      return reply.code(204).send()
    },
  )
}
