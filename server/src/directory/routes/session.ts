import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { documentRefusals } from '../../platform/http/document-refusals.ts'
import { Email, Id, Name } from '../../platform/http/schemas.ts'
import { notAuthorized } from '../../platform/refusal.ts'
import { PartnerMembership } from '../accounts/membership-schemas.ts'
import { presentedSession, readSession } from '../accounts/sessions.ts'
import { listMembershipsOf } from '../accounts/users.ts'
import type { Context } from '../context.ts'

const Session = Type.Object(
  {
    user: Type.Object(
      { id: Id, name: Name, email: Email },
      { title: 'SessionUser', description: 'The person who is signed in.' },
    ),
    customers: Type.Array(
      Type.Object(
        {
          id: Id,
          name: Name,
          lab: Type.Boolean(),
          role: Type.Union([Type.Literal('administrator'), Type.Literal('member')]),
          can_view_devices: Type.Boolean({
            description: 'Whether a member sees all devices and spaces in the portal.',
          }),
          can_open_portal: Type.Boolean({
            description:
              'Whether the customer portal opens: for an administrator, and for a member with a role somewhere.',
          }),
          administrators: Type.Array(
            Type.Object(
              { name: Name, email: Email },
              { title: 'CustomerAdministrator', description: 'An active administrator of the customer.' },
            ),
            { description: 'For a member, whom to ask: up to five. Empty for an administrator.' },
          ),
          second_factor: Type.Union(
            [
              Type.Object(
                {
                  due_at: Type.Unsafe<Date>({
                    type: 'string',
                    format: 'date-time',
                    description: 'Until then nothing is refused.',
                  }),
                  step: Type.Enum(['met', 'set_up', 'present'], {
                    description:
                      'What the person has to do until then: nothing more, set one up, or present theirs in this session.',
                  }),
                },
                {
                  title: 'SecondFactorDemand',
                  description: 'That the organization requires a second factor of this person.',
                },
              ),
              Type.Null(),
            ],
            { description: 'What the organization asks of the person in this session; null: no second factor.' },
          ),
        },
        { title: 'CustomerMembership', description: 'A customer that the person belongs to.' },
      ),
    ),
    partners: Type.Array(PartnerMembership),
  },
  { title: 'Session', description: 'Who is signed in, and their memberships.' },
)

/** The portal's first request: who is signed in, and the customers and partners they can act for. */
export async function sessionApi(app: App, context: Context): Promise<void> {
  documentRefusals(app)
  app.get(
    '/session',
    {
      schema: {
        summary: 'Get the signed-in user and their memberships',
        description: 'For the portal: whom the session can act for.',
        response: { 200: Session },
      },
    },
    async (request, reply) => {
      const session = await readSession(context, presentedSession(request))
      if (!session) throw notAuthorized()
      const { user_id: id, name, email } = session
      reply.header('cache-control', 'no-store')
      return { user: { id, name, email }, ...(await listMembershipsOf(context, session)) }
    },
  )
}
