import { Type } from 'typebox'
import {
  changeable,
  changeSignInPolicy,
  getConnectedApp,
  listConnectedApps,
  withdrawApproval,
} from '../../../authorization/consent/connected-apps.ts'
import type { Context } from '../../../context.ts'
import { etagOf, IfMatch } from '../../../platform/http/etag.ts'
import { PageOf, PageQuery } from '../../../platform/http/pagination.ts'
import { Id, Instant, Nullable, refusals } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/server.ts'
import { callerOf, requirePortalSession } from '../authenticate.ts'

const tags = ['Organization: connected apps']
const description = 'Portal session of an administrator only: a token must not be able to extend its own reach.'

const Person = { id: Id, name: Type.String(), email: Type.String() }

const ConnectedApp = Type.Object({
  client_id: Id,
  name: Type.String(),
  partner_name: Type.String(),
  enabled: Type.Boolean({ description: 'False while the operator has disabled the application.' }),
  policy: Type.Object(
    { kind: Type.String(), group_id: Nullable(Id), group_name: Nullable(Type.String()) },
    { description: 'Who may connect it: `everyone`, `administrators`, or one `group`; administrators always may.' },
  ),
  approved_at: Instant,
  approved_by: Nullable(Type.Object(Person)),
  connected_at: Nullable(Instant),
  last_used_at: Nullable(Instant),
  user_count: Type.Integer({ description: 'How many people connected it under the present grant.' }),
  users: Type.Array(Type.Object({ ...Person, connected_at: Instant }), {
    description: 'Who they are: the latest 20.',
  }),
})

const ChangedApp = Type.Object({
  ...ConnectedApp.properties,
  tokens: Type.String({
    enum: ['stay', 'revoked', 'none'],
    description: 'What became of tokens already issued: they `stay` unless `revoke_tokens` was sent.',
  }),
})

const Policy = Type.Union([
  Type.Object(
    { kind: Type.Union([Type.Literal('everyone'), Type.Literal('administrators')]) },
    { additionalProperties: false },
  ),
  Type.Object({ kind: Type.Literal('group'), group_id: Id }, { additionalProperties: false }),
])

const Change = Type.Object(
  {
    policy: Policy,
    revoke_tokens: Type.Optional(
      Type.Boolean({ description: 'Also end every token already issued: whoever is admitted connects anew.' }),
    ),
  },
  { additionalProperties: false },
)

const Withdrawn = Type.Object({
  client_id: Id,
  grant_revoked: Type.Boolean({ description: 'Whether there were tokens to end. They fail with the next request.' }),
  spaces_released: Type.Integer({ description: 'Spaces the application kept in sync: they stay, and can be moved.' }),
})

const AppPath = Type.Object({ client_id: Id })
const sessionOnly = refusals({ 403: ['portal_session_required', 'administrators_only'] })

export function connectedAppRoutes(app: App, context: Context): void {
  // Before the body and the path are looked at: what a token may not do, it may not probe either.
  app.register(async (scope: App) => {
    scope.addHook('onRequest', async (request) => {
      requirePortalSession(callerOf(request))
    })

    scope.get(
      '/connected-apps',
      {
        schema: {
          summary: 'List connected apps',
          description: `By approval and grant, never by live token: an app stays listed when its tokens lapse. ${description}`,
          tags,
          querystring: Type.Object(PageQuery),
          response: { 200: PageOf(ConnectedApp), ...sessionOnly },
        },
      },
      async (request) => listConnectedApps(context, callerOf(request).customer_id, request.query),
    )

    scope.get(
      '/connected-apps/:client_id',
      {
        schema: {
          summary: 'Get a connected app',
          description,
          tags,
          params: AppPath,
          response: { 200: ConnectedApp, ...sessionOnly },
        },
      },
      async (request, reply) => {
        const found = await getConnectedApp(context.sql, callerOf(request).customer_id, request.params.client_id)
        return reply.header('etag', etagOf(changeable(found))).send(found)
      },
    )

    scope.patch(
      '/connected-apps/:client_id',
      {
        schema: {
          summary: 'Say who may connect the app',
          description: `Takes effect for new connections at once. ${description}`,
          tags,
          params: AppPath,
          headers: IfMatch,
          body: Change,
          response: { 200: ChangedApp, ...sessionOnly, ...refusals({ 412: ['changed_meanwhile'] }) },
        },
      },
      async (request, reply) => {
        const { customer_id, actor } = callerOf(request)
        const target = { customer_id, client_id: request.params.client_id, ifMatch: request.headers['if-match'] }
        const { tokens, ...changed } = await changeSignInPolicy(context, actor, target, request.body)
        return reply.header('etag', etagOf(changeable(changed))).send({ ...changed, tokens })
      },
    )

    scope.delete(
      '/connected-apps/:client_id',
      {
        schema: {
          summary: 'Withdraw the approval',
          description: `Revokes every token of the app, whoever signed in; a new administrator approval is needed to connect it again. ${description}`,
          tags,
          params: AppPath,
          response: { 200: Withdrawn, ...sessionOnly },
        },
      },
      async (request) => {
        const { customer_id, actor } = callerOf(request)
        return withdrawApproval(context, actor, customer_id, request.params.client_id)
      },
    )
  })
}
