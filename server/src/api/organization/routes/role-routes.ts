import { Type } from 'typebox'
import { getRoles, replaceRoles } from '../../../directory/organization/roles.ts'
import { spaceRoles } from '../../../directory/permissions.ts'
import type { App } from '../../../platform/http/app.ts'
import { Id, IdPath, Nullable, refusals } from '../../../platform/http/schemas.ts'
import { partLimits } from '../../../platform/own-limits.ts'
import type { Context } from '../../context.ts'
import { guardedChange, tagged } from '../../shared/route-schemas.ts'
import { callerOf, requirePortalSession } from '../authenticate-organization.ts'
import { peopleRights } from '../caller-rights.ts'

const sessionOnly = { 403: ['portal_session_required', 'administrators_only'] } as const
const onlyPeople =
  'Requires the portal session of an administrator: whom a token or an API key gave a role would keep it after its revocation.'

export const SpaceRole = Type.Enum([...spaceRoles], {
  title: 'SpaceRole',
  description:
    'A `viewer` sees devices and spaces, an `operator` also changes and commands devices, a `manager` also changes spaces and sees the audit log there.',
})
const SpaceOfRole = Nullable(Id)
const RoleInSpace = Type.Object(
  {
    role: SpaceRole,
    space_id: SpaceOfRole,
    space_path: Type.Array(Type.String(), { description: 'The names of the space and those above it, from the top.' }),
  },
  { title: 'RoleInSpace', description: 'A role in a space and everything below it; without a space, everywhere.' },
)
const Roles = Type.Object(
  { roles: Type.Array(RoleInSpace, { description: 'One per space.' }) },
  { title: 'Roles', description: 'What a user or a group was given itself, everywhere first.' },
)
const NewRoles = Type.Object(
  {
    roles: Type.Array(
      Type.Object(
        { role: SpaceRole, space_id: SpaceOfRole },
        { title: 'NewRole', description: 'A role in a space; null: everywhere.', additionalProperties: false },
      ),
      { maxItems: partLimits.spacesOfPermission, description: 'All of them, one per space.' },
    ),
  },
  { title: 'NewRoles', description: 'The roles that replace those of before.', additionalProperties: false },
)

const holders = [
  {
    path: '/users/:id/roles',
    tag: 'Organization: users',
    whose: 'a user',
    read: 'Those given to the user directly. What comes from groups is in `GET /access?user_id=`. `can_view_devices` is the role `viewer` everywhere.',
    holderOf: (id: string) => ({ user_id: id }),
  },
  {
    path: '/groups/:id/roles',
    tag: 'Organization: groups',
    whose: 'a group',
    read: 'Each of its members has them.',
    holderOf: (id: string) => ({ group_id: id }),
  },
] as const

/** Roles in spaces (decision 6.54). */
export function roleRoutes(app: App, context: Context): void {
  app.register(async (scope: App) => {
    scope.addHook('onRequest', async (request) => requirePortalSession(request))
    for (const { path, tag, whose, read, holderOf } of holders) {
      const route = tagged(tag)
      scope.get(
        path,
        route({
          permission: 'people: manage',
          reads: 'bounded',
          summary: `Get the roles of ${whose}`,
          description: `${read} ${onlyPeople}`,
          params: IdPath,
          response: { 200: Roles, ...refusals(sessionOnly) },
        }),
        async (request) => getRoles(context, callerOf(request).customer_id, holderOf(request.params.id)),
      )

      scope.put(
        path,
        route({
          permission: 'people: manage',
          creates: { unlimited: 'one role per space, and no more than the body may have' },
          summary: `Replace the roles of ${whose}`,
          description: `An administrator may do everything, whatever the roles. They count from the next request on. ${onlyPeople}`,
          params: IdPath,
          body: NewRoles,
          ...guardedChange(Roles, sessionOnly),
        }),
        async (request) => {
          const caller = callerOf(request)
          const ifMatch = request.headers['if-match']
          const target = { customerId: caller.customer_id, holder: holderOf(request.params.id), ifMatch }
          return replaceRoles(context, peopleRights(caller), target, request.body.roles)
        },
      )
    }
  })
}
