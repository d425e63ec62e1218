import { Type } from 'typebox'
import type { Context } from '../../../context.ts'
import {
  createCustomer,
  getCustomer,
  listCustomers,
  renameCustomer,
} from '../../../directory/organization/customers.ts'
import { IfMatch } from '../../../platform/http/etag.ts'
import { PageOf, PageQuery } from '../../../platform/http/pagination.ts'
import { Id, IdPath, Instant, Name, refusals } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/server.ts'
import { operator } from '../authenticate.ts'

const tags = ['Operator: customers']

const Customer = Type.Object({ id: Id, partner_id: Id, name: Name, lab: Type.Boolean(), created_at: Instant })
const NewCustomer = Type.Object({ partner_id: Id, name: Name }, { additionalProperties: false })
const CustomerChange = Type.Object({ name: Name }, { additionalProperties: false })
const CustomerQuery = Type.Object({ ...PageQuery, partner_id: Type.Optional(Id) })

export function customerRoutes(app: App, context: Context): void {
  app.post(
    '/customers',
    {
      schema: {
        summary: 'Create a customer',
        tags,
        body: NewCustomer,
        response: { 201: Customer, ...refusals({ 404: ['not_found'] }) },
      },
    },
    async (request, reply) => reply.code(201).send(await createCustomer(context, operator, request.body)),
  )

  app.get(
    '/customers',
    { schema: { summary: 'List customers', tags, querystring: CustomerQuery, response: { 200: PageOf(Customer) } } },
    async (request) => listCustomers(context, request.query),
  )

  app.get(
    '/customers/:id',
    { schema: { summary: 'Get a customer', tags, params: IdPath, response: { 200: Customer } } },
    async (request) => getCustomer(context, request.params.id),
  )

  app.patch(
    '/customers/:id',
    {
      schema: {
        summary: 'Rename a customer',
        tags,
        params: IdPath,
        headers: IfMatch,
        body: CustomerChange,
        response: { 200: Customer, ...refusals({ 412: ['changed_meanwhile'] }) },
      },
    },
    async (request) => {
      const target = { id: request.params.id, ifMatch: request.headers['if-match'] }
      return renameCustomer(context, operator, target, request.body.name)
    },
  )
}
