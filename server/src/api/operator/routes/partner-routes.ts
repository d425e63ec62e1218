import { Type } from 'typebox'
import { changePartner, createPartner, getPartner, listPartners } from '../../../directory/partners/partners.ts'
import type { App } from '../../../platform/http/app.ts'
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
import type { Context } from '../../context.ts'
import { guardedChange, paged, tagged } from '../../shared/route-schemas.ts'
import { operator } from '../authenticate-operator.ts'

const route = tagged('Operator: partners')

const Partner = Type.Object(
  { id: Id, name: Name, portal_domain: Nullable(PortalDomain), created_at: Instant },
  { title: 'Partner', description: 'A partner: a company that builds applications and devices.' },
)

const NewPartner = Type.Object(
  {
    name: Name,
    portal_domain: Nullable(PortalDomain),
    admin: Type.Object(
      { name: Name, email: Email, password: Password },
      { title: 'NewAdministrator', description: 'The first person of the partner.', additionalProperties: false },
    ),
  },
  { title: 'NewPartner', description: 'A partner to create.', additionalProperties: false },
)

const PartnerChange = Type.Object(
  { name: Type.Optional(Name), portal_domain: Type.Optional(Nullable(PortalDomain)) },
  {
    title: 'PartnerChange',
    description: 'What to change about a partner; what is absent stays.',
    additionalProperties: false,
    minProperties: 1,
  },
)

export function partnerRoutes(app: App, context: Context): void {
  app.post(
    '/partners',
    route({
      creates: { unlimited: 'only the operator creates them' },
      summary: 'Create a partner with its administrator and lab tenant',
      description:
        'An administrator whose email already has an account is invited to both: see `GET /core/v1/operator/invitations`.',
      body: NewPartner,
      response: {
        201: Type.Object(
          {
            ...Partner.properties,
            lab: Type.Object(
              { customer_id: Id },
              { title: 'LabTenant', description: "The partner's customer for tests." },
            ),
          },
          { title: 'CreatedPartner', description: 'A new partner, with its lab tenant.' },
        ),
        ...refusals({ 409: ['name_confusable'] }),
      },
    }),
    async (request, reply) => reply.code(201).send(await createPartner(context, operator, request.body)),
  )

  app.get(
    '/partners',
    route({
      reads: 'bounded',
      summary: 'List partners',
      description: 'All partners of this service.',
      ...paged(Partner),
    }),
    async (request) => listPartners(context, request.query),
  )

  app.get(
    '/partners/:id',
    route({
      reads: 'bounded',
      summary: 'Get a partner',
      description: 'One partner, with its portal domain.',
      params: IdPath,
      response: { 200: Partner },
    }),
    async (request) => getPartner(context, request.params.id),
  )

  app.patch(
    '/partners/:id',
    route({
      summary: 'Change a partner',
      description: 'Its name and its portal domain. Without a portal domain nobody can connect its applications.',
      params: IdPath,
      body: PartnerChange,
      ...guardedChange(Partner, { 409: ['name_confusable'] }),
    }),
    async (request) => changePartner(context, operator, request.params.id, request.body, request.headers['if-match']),
  )
}
