import { Type } from 'typebox'
import {
  approveChange,
  getWaitingChange,
  listWaitingChanges,
  refuseChange,
} from '../../../directory/partners/presentation-review.ts'
import type { App } from '../../../platform/http/app.ts'
import { Empty, Id, IdPath, Instant, Line, Nullable, refusals } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { ChangedFields, Logo, Revision } from '../../shared/directory-schemas.ts'
import { RequestedPermissions } from '../../shared/permission-schemas.ts'
import { paged, tagged } from '../../shared/route-schemas.ts'
import { operator } from '../authenticate-operator.ts'

const route = tagged('Operator: presentation changes')

const WaitingChange = Type.Object(
  {
    id: Id,
    revision: Revision,
    partner_id: Id,
    partner_name: Type.String(),
    partner_domain: Nullable(Type.String()),
    client_id: Nullable(Type.Unsafe<string>({ ...Id, description: 'The application. Null: the partner itself.' })),
    current: Type.Object(
      {
        name: Type.String(),
        home_page: Nullable(Type.String()),
        logo: Nullable(Type.String()),
        requested_permissions: RequestedPermissions,
      },
      { title: 'CurrentLook', description: 'What people see now; the logo by its path.' },
    ),
    fields: ChangedFields,
    name: Nullable(Type.String({ description: 'The wanted name, if it is among the fields.' })),
    home_page: Nullable(Type.String({ description: 'The wanted home page, if it is among the fields.' })),
    requested_permissions: RequestedPermissions,
    requested_at: Instant,
  },
  { title: 'PresentationChange', description: 'A change of what people see that waits for the operator.' },
)
const OneChange = Type.Object(
  { ...WaitingChange.properties, logo: Nullable(Logo) },
  { title: 'PresentationChangeWithLogo', description: 'A change that waits, with the wanted logo.' },
)

export const Approval = Type.Object(
  { revision: Revision },
  { title: 'PresentationApproval', description: 'The revision that was looked at.', additionalProperties: false },
)
export const ReasonedRefusal = Type.Object(
  { revision: Revision, reason: Line(300, { description: 'Shown to the partner.' }) },
  {
    title: 'PresentationRefusal',
    description: 'The revision that was looked at, and why it is refused.',
    additionalProperties: false,
  },
)

export function presentationChangeRoutes(app: App, context: Context): void {
  app.get(
    '/presentation-changes',
    route({
      reads: 'bounded',
      summary: 'List the changes of what people see that wait',
      description:
        'What partners asked to change of names, logos, home pages and requested permissions, the oldest first.',
      ...paged(WaitingChange),
    }),
    async (request) => listWaitingChanges(context, request.query),
  )

  app.get(
    '/presentation-changes/:id',
    route({
      reads: 'bounded',
      summary: 'Get a change of what people see',
      description: 'With the wanted logo of this revision.',
      params: IdPath,
      response: { 200: OneChange },
    }),
    async (request) => getWaitingChange(context, request.params.id),
  )

  app.post(
    '/presentation-changes/:id/approve',
    route({
      creates: { unlimited: 'decides about a request that exists' },
      summary: 'Approve a change of what people see',
      description: 'It takes effect at once. The name is checked again: another partner may have taken one like it.',
      params: IdPath,
      body: Approval,
      response: { 204: Empty, ...refusals({ 409: ['change_replaced', 'name_confusable'] }) },
    }),
    async (request, reply) => {
      await approveChange(context, operator, { id: request.params.id, ...request.body })
      return reply.code(204).send()
    },
  )

  app.post(
    '/presentation-changes/:id/refuse',
    route({
      creates: { unlimited: 'decides about a request that exists' },
      summary: 'Refuse a change of what people see',
      description: 'What people see stays as it is. The partner sees the reason.',
      params: IdPath,
      body: ReasonedRefusal,
      response: { 204: Empty, ...refusals({ 409: ['change_replaced'] }) },
    }),
    async (request, reply) => {
      await refuseChange(context, operator, { id: request.params.id, ...request.body })
      return reply.code(204).send()
    },
  )
}
