import { Type } from 'typebox'
import {
  changeApproval,
  changeable,
  getConnectedApp,
  listConnectedApps,
  withdrawApproval,
} from '../../../authorization/consent/connected-apps.ts'
import { cancelWithdrawn } from '../../../devices/commands/withdrawn-commands.ts'
import { joinTransaction, transaction } from '../../../platform/database/database.ts'
import type { App } from '../../../platform/http/app.ts'
import { etagOf } from '../../../platform/http/etag.ts'
import { Id, Instant, Nullable, refusals } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import {
  CredentialPermissions,
  PermittedSpaces,
  RequestedPermissions,
  Within,
} from '../../shared/permission-schemas.ts'
import { guardedChange, paged, tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate-organization.ts'

const route = tagged('Organization: connected apps')
const description = 'Requires the portal session of an administrator: a token must not extend its own reach.'

const Person = { id: Id, name: Type.String(), email: Type.String() }
export const UserReference = Type.Object(Person, {
  title: 'UserReference',
  description: 'A person, by id, name and email.',
})

export const ConnectedApp = Type.Object(
  {
    client_id: Id,
    name: Type.String(),
    home_page: Nullable(Type.String()),
    logo: Nullable(Type.String({ description: 'The path of the logo.' })),
    partner_name: Type.String(),
    partner_domain: Nullable(Type.String()),
    enabled: Type.Boolean({ description: 'False while the application is disabled by the operator.' }),
    policy: Type.Object(
      { kind: Type.String(), group_id: Nullable(Id), group_name: Nullable(Type.String()) },
      {
        title: 'SignInPolicy',
        description: 'Who may connect it: `everyone`, `administrators`, or one `group`. Administrators always may.',
      },
    ),
    permissions: Nullable(CredentialPermissions),
    within: PermittedSpaces,
    requested_permissions: RequestedPermissions,
    approved_at: Instant,
    approved_by: Nullable(UserReference),
    connected_at: Nullable(Instant),
    last_used_at: Nullable(Instant),
    user_count: Type.Integer({ description: 'How many people connected it under the current grant.' }),
    users: Type.Array(
      Type.Object(
        { ...Person, connected_at: Instant },
        { title: 'ConnectedUser', description: 'A person who connected the application.' },
      ),
      {
        description: 'The latest 20 of them.',
      },
    ),
  },
  { title: 'ConnectedApp', description: 'An application that this organization approved.' },
)

const ChangedApp = Type.Object(
  {
    ...ConnectedApp.properties,
    tokens: Type.String({
      enum: ['stay', 'revoked', 'none'],
      description: 'What happened to tokens already issued: they `stay` unless `revoke_tokens` was sent.',
    }),
  },
  { title: 'ChangedConnectedApp', description: 'A connected application after a change.' },
)

export const Policy = Type.Union([
  Type.Object(
    { kind: Type.Union([Type.Literal('everyone'), Type.Literal('administrators')]) },
    { additionalProperties: false },
  ),
  Type.Object({ kind: Type.Literal('group'), group_id: Id }, { additionalProperties: false }),
])

const Change = Type.Object(
  {
    policy: Type.Optional(Policy),
    permissions: Type.Optional(Nullable(CredentialPermissions)),
    within: Type.Optional(Within),
    revoke_tokens: Type.Optional(
      Type.Boolean({ description: 'Also revoke every token already issued: the people admitted must connect again.' }),
    ),
  },
  {
    title: 'ConnectedAppChange',
    description:
      'What to change of the approval: who may connect the application, what it may do, and where. What is left out stays.',
    minProperties: 1,
    additionalProperties: false,
  },
)

const Withdrawn = Type.Object(
  {
    client_id: Id,
    grant_revoked: Type.Boolean({
      description: 'Whether there was a grant to revoke. Its tokens fail from the next request on.',
    }),
    spaces_released: Type.Integer({
      description: 'Spaces the application kept in sync. They stay, and can be moved now.',
    }),
  },
  { title: 'WithdrawnApproval', description: 'What the withdrawal ended.' },
)

const AppPath = Type.Object({ client_id: Id })
export const sessionOnly = { 403: ['portal_session_required', 'administrators_only'] }

export function connectedAppRoutes(app: App, context: Context): void {
  app.get(
    '/connected-apps',
    route({
      permission: 'integrations: manage',
      reads: 'bounded',
      summary: 'List connected apps',
      description: `By approval and grant, not by live tokens: an app stays listed when its tokens expire. ${description}`,
      ...paged(ConnectedApp, {}, sessionOnly),
    }),
    async (request) => listConnectedApps(context, callerOf(request).customer_id, request.query),
  )

  app.get(
    '/connected-apps/:client_id',
    route({
      permission: 'integrations: manage',
      reads: 'bounded',
      summary: 'Get a connected app',
      description,
      params: AppPath,
      response: { 200: ConnectedApp, ...refusals(sessionOnly) },
    }),
    async (request, reply) => {
      const found = await getConnectedApp(context.sql, callerOf(request).customer_id, request.params.client_id)
      return reply.header('etag', etagOf(changeable(found))).send(found)
    },
  )

  app.patch(
    '/connected-apps/:client_id',
    route({
      permission: 'integrations: manage',
      summary: 'Set who may connect the app, what it may do, and where',
      description: `A policy counts for new connections, permissions for every token from its next request on; open streams end, and commands that it may no longer send are canceled unless a device has them. ${description}`,
      params: AppPath,
      body: Change,
      ...guardedChange(ChangedApp, sessionOnly),
    }),
    async (request, reply) => {
      const { customer_id, actor } = callerOf(request)
      const target = { customer_id, client_id: request.params.client_id, ifMatch: request.headers['if-match'] }
      const { tokens, ...changed } = await transaction(context.sql, async (sql) => {
        const app = await changeApproval({ ...context, sql: joinTransaction(sql) }, actor, target, request.body)
        await cancelWithdrawn(context, sql, app.client_id)
        return app
      })
      return reply.header('etag', etagOf(changeable(changed))).send({ ...changed, tokens })
    },
  )

  app.delete(
    '/connected-apps/:client_id',
    route({
      permission: 'integrations: manage',
      summary: 'Withdraw the approval',
      description: `Revokes every token of the app, regardless of who signed in, and cancels its commands that no device has yet. An administrator must approve it again before it can connect. ${description}`,
      params: AppPath,
      response: { 200: Withdrawn, ...refusals(sessionOnly) },
    }),
    async (request) => {
      const { customer_id, actor } = callerOf(request)
      const { client_id } = request.params
      return transaction(context.sql, async (sql) => {
        const joined = { ...context, sql: joinTransaction(sql) }
        const withdrawn = await withdrawApproval(joined, actor, customer_id, client_id)
        await cancelWithdrawn(context, sql, client_id)
        return withdrawn
      })
    },
  )
}
