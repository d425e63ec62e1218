import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RawServerDefault,
} from 'fastify'
import type { Logger } from 'pino'
import { Refusal } from '../refusal.ts'
import type { TlsMaterial } from '../tls/self-made-certificate.ts'
import { acceptJsonOnly } from './json-body.ts'
import { refuseUnknownMethod } from './other-methods.ts'
import { bodyOf, writeRefusal } from './refusals.ts'
import { requestLog } from './request-log.ts'
import { serializerCompiler } from './serialization.ts'
import { nothingThere } from './unknown-paths.ts'
import { warnOfUntrustedProxy } from './untrusted-proxy.ts'
import { validatorCompiler } from './validation.ts'
import { refuseExpectation, refuseOnWire } from './wire-refusals.ts'

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** Bounds of the HTTP listener: what is larger or slower than any honest request is cut off early. */
const bounds = {
  bodyLimit: 256 * 1024,
  requestTimeout: 30_000,
  connectionTimeout: 60_000,
  keepAliveTimeout: 75_000,
}

/** The same for HTTP and HTTPS: a caller that sends its headers byte by byte is cut off, and one that sends too many. */
const wireBounds = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 2_000,
  // Refused by a hook below instead, in the form of every other refusal.
  requireHostHeader: false,
}

export interface HttpOptions {
  log: Logger
  trustProxy: string[]
  /** Reached over https, so that a browser may be told to come no other way. */
  secure: boolean
  /** Asked to stop: callers are told to open their next connection elsewhere. */
  lifecycle: { draining: boolean }
  /** Where this listener speaks TLS itself. */
  tls?: TlsMaterial
  /** For a person whose browser was sent to an address where there is nothing; everyone else is told in JSON. */
  sendMissingPage?: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
}

/** A listener without a single route: parsing, validation, logging and refusals that every area shares. */
export function createHttp({ log, trustProxy, secure, lifecycle, tls, sendMissingPage }: HttpOptions): App {
  const app = fastify({
    loggerInstance: requestLog(log),
    // The stock line has the whole URL, and a URL may carry a code.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    trustProxy: trustProxy.length > 0 ? trustProxy : false,
    bodyLimit: bounds.bodyLimit,
    requestTimeout: bounds.requestTimeout,
    connectionTimeout: bounds.connectionTimeout,
    keepAliveTimeout: bounds.keepAliveTimeout,
    http: wireBounds,
    ...(tls ? { https: httpsOptions(tls) } : {}),
    routerOptions: { maxParamLength: 256 },
    // By a hook below instead, for the same reason.
    return503OnClosing: false,
    clientErrorHandler: refuseOnWire,
    // An address that cannot be read, or holds a name longer than any of ours, names nothing.
    frameworkErrors: (_error, _request, reply) => {
      void (reply as FastifyReply).code(404).send(bodyOf(nothingThere()))
    },
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(writeRefusal)
  app.server.on('checkExpectation', refuseExpectation)
  acceptJsonOnly(app as unknown as App, { prototypes: 'refused' })
  app.setNotFoundHandler((request, reply) => {
    refuseUnknownMethod(app as unknown as App, request, reply)
    // Browsers say so themselves; what clients put into Accept tells little.
    if (sendMissingPage && request.headers['sec-fetch-mode'] === 'navigate') return sendMissingPage(request, reply)
    throw nothingThere()
  })
  // What holds for every answer; a route that knows better (a page, a cacheable document) says so itself.
  const headers = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(secure ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
  // With `done` rather than a promise: these run for every message of every device.
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers).header('x-request-id', request.id)
    if (lifecycle.draining) reply.header('connection', 'close')
    if (closing) done(new Refusal(503, 'unavailable', 'This process is stopping. Send the request again.'))
    else if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      done(new Refusal(400, 'malformed_request', 'HTTP/1.1 needs one Host header.'))
    } else done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    // Thousands of telemetry messages a second are for the metrics to count; what went wrong is for the log.
    const level = reply.statusCode < 400 ? 'debug' : 'info'
    if (log.isLevelEnabled(level)) {
      const route = request.routeOptions.url ?? 'none'
      const line = { method: request.method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }
      request.log[level](line, 'request')
    }
    done()
  })
  warnOfUntrustedProxy(app as unknown as App, log)
  return app as unknown as App
}

function httpsOptions({ certificate, privateKey }: TlsMaterial) {
  return { ...wireBounds, cert: certificate, key: privateKey, minVersion: 'TLSv1.2' as const, handshakeTimeout: 10_000 }
}
