import type { App } from '../../platform/http/app.ts'
import { acceptJsonOnly } from '../../platform/http/json-body.ts'
import type { HubAddress } from '../cells/redirect.ts'
import { wakePolls } from '../commands/poll-command.ts'
import type { Context } from '../context.ts'
import { whyUnavailable } from '../telemetry/ingest.ts'
import { recordRefusedMessage } from '../telemetry/recorded-refusals.ts'
import { commandRoutes } from './command-routes.ts'
import { configRoutes } from './config-routes.ts'
import { massTelemetryRoute } from './mass-telemetry-routes.ts'
import { registerRoute } from './register.ts'
import { telemetryRoute, unavailable } from './telemetry-routes.ts'

/** The device connector over HTTP: the same on the entry and hub addresses. */
export async function deviceRoutes(app: App, context: Context): Promise<void> {
  app.addHook('onReady', () => context.livePublishing.start())
  app.addHook('onReady', () => context.cells.start())
  app.addHook('onReady', () => wakePolls(context))
  app.addHook('preClose', async () => context.commandPolls.close())
  registerRoute(app, context)
  await app.register(async (scope) => hubRoutes(scope as App, context, 'hub_url'))
}

/** For registered devices: also served with the certificate that never changes. */
export async function hubRoutes(app: App, context: Context, address: HubAddress): Promise<void> {
  await app.register(async (scope) => commandRoutes(scope as App, context, address))
  // A data point may be named `__proto__`: nothing here copies data points into another object.
  acceptJsonOnly(app, { prototypes: 'kept' })
  app.addHook('onRequest', (request, reply, done) => {
    const reason = whyUnavailable(context)
    if (!reason) return done()
    // Only the route for one device has its id; a mass call counts once, and nobody knows whose it is.
    const { id = null } = request.params as { id?: string }
    context.messageCounters.count(id === null ? 'mass' : 'http', reason)
    recordRefusedMessage(context, { ...reason, request_id: request.id, endpoint: 'telemetry', device_id: id })
    void unavailable(reply, reason)
  })
  telemetryRoute(app, context, address)
  massTelemetryRoute(app, context, address)
  configRoutes(app, context, address)
}
