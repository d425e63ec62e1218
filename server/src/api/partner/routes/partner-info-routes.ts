import { Type } from 'typebox'
import { changeBranding, getPartnerInfo } from '../../../directory/partners/branding.ts'
import type { App } from '../../../platform/http/app.ts'
import { Id, Instant, Name, Nullable } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { Logo, RequestedChange } from '../../shared/directory-schemas.ts'
import { guardedChange, tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate-partner.ts'

const route = tagged('Partner: info')

const AccentColor = Type.String({ maxLength: 7, pattern: '^#[0-9a-fA-F]{6}$', description: '`#rrggbb`' })

const Info = Type.Object(
  {
    id: Id,
    name: Type.String(),
    portal_domain: Nullable(Type.String({ description: 'Set by the operator.' })),
    accent_color: Nullable(AccentColor),
    logo: Nullable(Type.String({ description: 'The path of the logo.' })),
    lab_customer_id: Nullable(Id),
    requested_change: Nullable(RequestedChange),
    created_at: Instant,
  },
  { title: 'PartnerInfo', description: 'The partner itself.' },
)

const Branding = Type.Object(
  {
    name: Type.Optional(Name),
    accent_color: Type.Optional(Nullable(AccentColor)),
    logo: Type.Optional(Nullable(Logo)),
  },
  {
    title: 'PartnerBranding',
    description: 'What to change about the pages of the partner; what is absent stays.',
    additionalProperties: false,
    minProperties: 1,
  },
)

export function infoRoutes(app: App, context: Context): void {
  app.get(
    '/info',
    route({
      reads: 'bounded',
      summary: 'Get this partner',
      description: 'The partner that the caller acts for.',
      response: { 200: Info },
    }),
    async (request) => getPartnerInfo(context, callerOf(request).partner_id),
  )

  app.patch(
    '/info',
    route({
      summary: "Change the name, accent colour and logo of this partner's pages",
      description:
        'They are shown on the customer portal, on sign-in and on consent. A new name or logo waits for the operator ' +
        '(`requested_change`), except in a lab; the colour changes at once.',
      body: Branding,
      ...guardedChange(Info, { 409: ['name_confusable'] }),
    }),
    async (request) => {
      const { actor, partner_id } = callerOf(request)
      return changeBranding(context, actor, partner_id, request.body, request.headers['if-match'])
    },
  )
}
