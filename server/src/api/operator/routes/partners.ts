import { Type } from 'typebox'
import type { Context } from '../../../context.ts'
import { changePartner, createPartner, getPartner, listPartners } from '../../../directory/partners/partners.ts'
import { IfMatch } from '../../../platform/http/etag.ts'
import { PageOf, PageQuery } from '../../../platform/http/pagination.ts'
import {
  Email,
  Id,
  IdPath,
  Instant,
  Name,
  Nullable,
  Password,
  PortalDomain,
  refusals,
} from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/server.ts'
import { operator } from '../authenticate.ts'

const tags = ['Operator: partners']

const Partner = Type.Object({ id: Id, name: Name, portal_domain: Nullable(PortalDomain), created_at: Instant })

const NewPartner = Type.Object(
  {
    name: Name,
    portal_domain: Nullable(PortalDomain),
    admin: Type.Object({ name: Name, email: Email, password: Password }, { additionalProperties: false }),
  },
  { additionalProperties: false },
)

const PartnerChange = Type.Object(
  { name: Type.Optional(Name), portal_domain: Type.Optional(Nullable(PortalDomain)) },
  { additionalProperties: false, minProperties: 1 },
)

export function partnerRoutes(app: App, context: Context): void {
  app.post(
    '/partners',
    {
      schema: {
        summary: 'Create a partner with its administrator and lab tenant',
        description:
          'An administrator whose email has an account is invited to both instead: see `GET /core/v1/operator/invitations`.',
        tags,
        body: NewPartner,
        response: { 201: Type.Object({ ...Partner.properties, lab: Type.Object({ customer_id: Id }) }) },
      },
    },
    async (request, reply) => reply.code(201).send(await createPartner(context, operator, request.body)),
  )

  app.get(
    '/partners',
    {
      schema: {
        summary: 'List partners',
        tags,
        querystring: Type.Object(PageQuery),
        response: { 200: PageOf(Partner) },
      },
    },
    async (request) => listPartners(context, request.query),
  )

  app.get(
    '/partners/:id',
    { schema: { summary: 'Get a partner', tags, params: IdPath, response: { 200: Partner } } },
    async (request) => getPartner(context, request.params.id),
  )

  app.patch(
    '/partners/:id',
    {
      schema: {
        summary: 'Change a partner',
        tags,
        params: IdPath,
        headers: IfMatch,
        body: PartnerChange,
        response: { 200: Partner, ...refusals({ 412: ['changed_meanwhile'] }) },
      },
    },
    async (request) => changePartner(context, operator, request.params.id, request.body, request.headers['if-match']),
  )
}
