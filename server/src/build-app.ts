import { operatorApi } from './api/operator/routes/index.ts'
import { metricsRoute } from './api/operator/routes/metrics-routes.ts'
import { organizationApi } from './api/organization/routes/index.ts'
import { partnerApi } from './api/partner/routes/index.ts'
import { applicationAskingAt, authorizationApi, authorizationPages } from './authorization/routes/index.ts'
import type { Context } from './context.ts'
import { deviceRoutes, hubRoutes } from './devices/routes/index.ts'
import { accountPages } from './directory/routes/index.ts'
import { sessionApi } from './directory/routes/session.ts'
import { partnerKit } from './kit.ts'
import { readLab } from './lab.ts'
import { describeApi } from './openapi.ts'
import { healthRoutes } from './platform/health.ts'
import type { App } from './platform/http/app.ts'
import { refuseOtherMethods, rememberMethods } from './platform/http/other-methods.ts'
import { createHttp } from './platform/http/server.ts'
import { QuotaReached } from './platform/quotas.ts'
import { referencePage } from './platform/reference/reference-page.ts'
import { Refusal } from './platform/refusal.ts'
import { securityTxt } from './platform/security-txt.ts'
import type { TlsMaterial } from './platform/tls/self-signed-certificate.ts'
import { missingPage, portal } from './portal.ts'

/** The one list of everything that is served. */
export async function buildApp(context: Context): Promise<App> {
  const { log, config, metrics, tracing, lifecycle } = context
  const secure = config.publicUrl?.startsWith('https:') ?? false
  const app = createHttp({
    log,
    trustProxy: config.trustProxy,
    secure,
    lifecycle,
    sendMissingPage: missingPage(context),
  })
  rememberMethods(app)
  metrics.watchHttp(app)
  tracing?.watchHttp(app)
  refuseWhileClockIsWrong(app, context)
  recordReachedQuotas(app, context)
  await describeApi(app, context.addresses)
  await app.register(async (scope) => healthRoutes(scope, context))
  await app.register(async (scope) => metricsRoute(scope, context))
  await app.register(async (scope) => securityTxt(scope, context))
  await app.register(async (scope) => referencePage(scope, config.lab ? () => readLab(context) : null))
  await app.register(async (scope) => partnerKit(scope))
  await app.register(async (scope) => authorizationApi(scope, context))
  await app.register(async (scope) => deviceRoutes(scope, context))
  await app.register(async (scope) => operatorApi(scope, context), { prefix: '/core/v1/operator' })
  await app.register(async (scope) => authorizationPages(scope, context))
  await app.register(async (scope) => partnerApi(scope, context), { prefix: '/core/v1/partner' })
  await app.register(async (scope) =>
    accountPages(scope, context, (returnTo) => applicationAskingAt(context, returnTo)),
  )
  await app.register(async (scope) => sessionApi(scope, context), { prefix: '/core/v1' })
  await app.register(async (scope) => portal(scope, context))
  await app.register(async (scope) => organizationApi(scope, context), { prefix: '/core/v1/organization' })
  refuseOtherMethods(app)
  return app
}

/** Behind the certificate that never changes (hub_url_static_cert): the hub, and nothing a browser would come for. */
export async function buildPinnedApp(context: Context, tls: TlsMaterial): Promise<App> {
  const { log, config, metrics, tracing, lifecycle } = context
  const app = createHttp({ log, trustProxy: config.trustProxy, secure: false, lifecycle, tls })
  rememberMethods(app)
  metrics.watchHttp(app)
  tracing?.watchHttp(app)
  refuseWhileClockIsWrong(app, context)
  await app.register(async (scope) => hubRoutes(scope, context, 'hub_url_static_cert'))
  refuseOtherMethods(app)
  return app
}

/** Whichever surface refused: the transaction that found it out was undone. */
function recordReachedQuotas(app: App, { recordLimit, counters }: Context): void {
  app.addHook('onError', async (_request, _reply, error) => {
    if (!(error instanceof QuotaReached)) return
    const { quota, tenant, used, max } = error
    counters.countLimited(quota)
    recordLimit({ tenant, name: quota, used, max, refused: true })
  })
}

/** Served even while the clock is wrong, so that an operator can see the problem. */
const alwaysServed = new Set(['/healthz', '/readyz', '/metrics'])

function refuseWhileClockIsWrong(app: App, { clock }: Context): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const problem = clock.problem()
    if (problem === null || alwaysServed.has(request.routeOptions.url ?? '')) done()
    else
      done(
        new Refusal(503, 'clock_wrong', 'This server is out of service for the moment. Try again shortly.', {
          reason: problem,
        }),
      )
  })
}
