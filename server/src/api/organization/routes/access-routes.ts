import { type Static, Type } from 'typebox'
import { listHoldingApplications } from '../../../authorization/consent/approved-access.ts'
import {
  type Access as AccessOf,
  explainAccess,
  type Holder,
  listHoldingKeys,
  listHoldingMembers,
  requireAbove,
} from '../../../directory/organization/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { type Page, PageQuery, pageRange, toPage } from '../../../platform/http/pagination.ts'
import { Id, Nullable } from '../../../platform/http/schemas.ts'
import { found, invalid } from '../../../platform/refusal.ts'
import type { Context } from '../../context.ts'
import { GroupReference } from '../../shared/directory-schemas.ts'
import { reading } from '../../shared/reads.ts'
import { paged, tagged } from '../../shared/route-schemas.ts'
import { callerOf, requirePortalSession } from '../authenticate-organization.ts'
import { CallerPermissions } from './own-permission-routes.ts'
import { SpaceRole } from './role-routes.ts'

const HolderKind = Type.Enum(['user', 'application', 'api_key'])

const Reason = Type.Object(
  {
    kind: Type.Enum(['administrator', 'role', 'approval', 'api_key'], {
      description: 'The organization’s administrator, a role, the approval of an application, or the key’s own.',
    }),
    role: Nullable(SpaceRole),
    group: Type.Union([GroupReference, Type.Null()], {
      description: 'The group whose role it is; null where the user has it directly.',
    }),
  },
  { title: 'AccessReason', description: 'Where a permission comes from.' },
)

const Held = Type.Object(
  {
    permissions: CallerPermissions,
    within: Nullable(
      Type.Array(
        Type.Object(
          {
            id: Id,
            path: Nullable(
              Type.Array(Type.String(), {
                description: 'The names from the top. Null: the space was deleted, and covers nothing.',
              }),
            ),
          },
          { title: 'AccessSpace', description: 'A space in which it counts, with everything below it.' },
        ),
        { description: 'Null: everywhere. With `space_id`, only that space and those above it.' },
      ),
    ),
    by: Reason,
  },
  { title: 'HeldPermissions', description: 'Permissions, where they count and where they come from.' },
)

const Access = Type.Object(
  {
    kind: HolderKind,
    id: Id,
    name: Type.String(),
    email: Nullable(Type.String({ description: 'Of a user.' })),
    active: Type.Boolean({ description: 'False: deactivated, disabled or expired, and may do nothing.' }),
    permissions: CallerPermissions,
    held: Type.Array(Held, { description: 'What it was given, up to 100; with `space_id`, what counts there.' }),
    more: Type.Boolean({ description: 'Whether it was given more than these.' }),
  },
  { title: 'Access', description: 'What a user, an application or an API key may do, and why.' },
)

const Filters = {
  kind: Type.Optional(Type.Enum(['user', 'application', 'api_key'], { default: 'user', description: 'Whom to list.' })),
  space_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'Who may do what in this space; `permissions` are those that count there.',
    }),
  ),
  user_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only this user.' })),
  client_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only this application.' })),
  api_key_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only this API key.' })),
}
const Query = Type.Object({ ...PageQuery, ...Filters })
type Asked = Static<typeof Query>

const lists = { user: listHoldingMembers, application: listHoldingApplications, api_key: listHoldingKeys }
const words = { user: 'user', application: 'connected app', api_key: 'API key' }

/** Who may do what, and why (decision 6.54). */
export function accessRoutes(app: App, context: Context): void {
  app.register(async (scope: App) => {
    scope.addHook('onRequest', async (request) => requirePortalSession(request))
    scope.get(
      '/access',
      tagged('Organization: info')({
        permission: 'people: manage',
        reads: 'growing',
        summary: 'Find out who may do what, and why',
        description:
          'Users with roles, approved applications or API keys: all, those who may do something in a space, or one of them. Requires the portal session of an administrator.',
        ...paged(Access, Filters, { 403: ['portal_session_required', 'administrators_only'], 404: ['not_found'] }),
      }),
      async (request) => {
        const caller = callerOf(request)
        return readAccess(reading(context, caller, request), caller.customer_id, request.query)
      },
    )
  })
}

async function readAccess(context: Context, customerId: string, asked: Asked): Promise<Page<AccessOf>> {
  const { kind, id } = whoIsAsked(asked)
  const range = pageRange(asked)
  const above = asked.space_id === undefined ? undefined : await requireAbove(context, customerId, asked.space_id)
  // Of one that is named, all is read: that it may do nothing here is the response.
  const filter = { id, above: id ? undefined : above }
  const rows = await lists[kind](context, customerId, filter, range)
  if (id) found(rows[0], words[kind])
  const page = toPage(rows, range, (row: Holder) => row.id)
  const items = await explainAccess(context.sql, customerId, page.items, above)
  return { ...page, items: id || !above ? items : items.filter(({ active, held }) => active && held.length > 0) }
}

function whoIsAsked({ kind = 'user', user_id, client_id, api_key_id }: Asked) {
  const named = [
    { kind: 'user', id: user_id },
    { kind: 'application', id: client_id },
    { kind: 'api_key', id: api_key_id },
  ] as const
  const [one, another] = named.filter(({ id }) => id !== undefined)
  if (another) throw invalid({ field: 'user_id', message: 'and client_id or api_key_id cannot be asked about at once' })
  return one ?? { kind, id: undefined }
}
