import { Type } from 'typebox'
import { listConnectedApps } from '../../../authorization/consent/connected-apps.ts'
import {
  createCustomer,
  getCustomer,
  listCustomers,
  renameCustomer,
} from '../../../directory/organization/customers.ts'
import { gated } from '../../../platform/gated-reads.ts'
import type { App } from '../../../platform/http/app.ts'
import { Id, IdPath, Instant, Name, Nullable, refusals } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { guardedChange, paged, tagged } from '../../shared/route-schemas.ts'
import { operator, readerOf } from '../authenticate-operator.ts'

const route = tagged('Operator: customers')

const Customer = Type.Object(
  { id: Id, partner_id: Id, name: Name, lab: Type.Boolean(), created_at: Instant },
  { title: 'Customer', description: 'A customer: an organization with users, spaces and devices.' },
)
const NewCustomer = Type.Object(
  { partner_id: Id, name: Name },
  { title: 'NewCustomer', description: 'A customer to create.', additionalProperties: false },
)
const CustomerChange = Type.Object(
  { name: Name },
  { title: 'CustomerChange', description: 'The new name of a customer.', additionalProperties: false },
)
const CustomerFilters = {
  partner_id: Type.Optional(Id),
  search: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'A part of the name; one or two characters are the beginning of a word.',
    }),
  ),
}
const CustomerApp = Type.Object(
  {
    client_id: Id,
    name: Type.String(),
    partner_name: Type.String(),
    enabled: Type.Boolean(),
    approved_at: Instant,
    connected_at: Nullable(Instant),
    last_used_at: Nullable(Instant),
  },
  { title: 'CustomerApp', description: 'An application that a customer approved.' },
)

export function customerRoutes(app: App, context: Context): void {
  app.post(
    '/customers',
    route({
      creates: { unlimited: 'only the operator creates them' },
      summary: 'Create a customer',
      description: 'It has no users yet: add its first administrator next.',
      body: NewCustomer,
      response: { 201: Customer, ...refusals({ 404: ['not_found'] }) },
    }),
    async (request, reply) => reply.code(201).send(await createCustomer(context, operator, request.body)),
  )

  app.get(
    '/customers',
    route({
      reads: 'growing',
      summary: 'List customers',
      description: 'All customers, those of one partner, or those whom a search finds.',
      ...paged(Customer, CustomerFilters),
    }),
    async (request) => listCustomers(gated(context, readerOf(request)), request.query),
  )

  app.get(
    '/customers/:id',
    route({
      reads: 'bounded',
      summary: 'Get a customer',
      description: 'One customer, with its partner.',
      params: IdPath,
      response: { 200: Customer },
    }),
    async (request) => getCustomer(context, request.params.id),
  )

  app.get(
    '/customers/:id/connected-apps',
    route({
      reads: 'bounded',
      summary: "List a customer's connected apps",
      description: 'By approval, whether or not they have a live token. Only the customer changes them.',
      params: IdPath,
      ...paged(CustomerApp),
    }),
    async (request) => {
      const { id } = await getCustomer(context, request.params.id)
      return listConnectedApps(context, id, request.query)
    },
  )

  app.patch(
    '/customers/:id',
    route({
      summary: 'Rename a customer',
      description: 'The new name is shown on its pages and in the consent screen.',
      params: IdPath,
      body: CustomerChange,
      ...guardedChange(Customer),
    }),
    async (request) => {
      const target = { id: request.params.id, ifMatch: request.headers['if-match'] }
      return renameCustomer(context, operator, target, request.body.name)
    },
  )
}
