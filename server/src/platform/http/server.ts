import { randomUUID } from 'node:crypto'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastJsonStringify from 'fast-json-stringify'
import fastify, { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { FastifySerializerCompiler } from 'fastify/types/schema.js'
import type { Logger } from 'pino'
import { requestLimits } from '../own-limits.ts'
import { Refusal } from '../refusal.ts'
import { listenerTls } from '../tls/listener-tls.ts'
import type { TlsMaterial } from '../tls/self-signed-certificate.ts'
import { AddressRanges } from './address-ranges.ts'
import type { App } from './app.ts'
import { hostProblem } from './host-header.ts'
import { acceptJsonOnly } from './json-body.ts'
import { refuseUnknownMethod } from './other-methods.ts'
import { bodyOf, writeRefusal } from './refusals.ts'
import { requestLog } from './request-log.ts'
import { unknownAddress } from './unknown-paths.ts'
import { warnOfUntrustedProxy } from './untrusted-proxy.ts'
import { validatorCompiler } from './validation.ts'
import { refuseExpectation, refuseOnWire } from './wire-refusals.ts'

/** Requests that are larger or slower than any real one are cut off early. */
const bounds = {
  bodyLimit: requestLimits.bodyBytes,
  requestTimeout: requestLimits.wholeMilliseconds,
  connectionTimeout: requestLimits.silentMilliseconds,
  keepAliveTimeout: requestLimits.keepAliveMilliseconds,
}

/** The same for HTTP and HTTPS: headers that are too large, or that arrive too slowly, are cut off. */
const wireBounds = {
  maxHeaderSize: requestLimits.headerBytes,
  headersTimeout: requestLimits.headersMilliseconds,
  connectionsCheckingInterval: 2_000,
  // A hook below refuses it instead, in the form of every other refusal.
  requireHostHeader: false,
}

const maxDiscardedBytes = 32 * 1024 * 1024

export interface HttpOptions {
  log: Logger
  trustProxy: string[]
  /** Reached over https, so that browsers get Strict-Transport-Security. */
  secure: boolean
  /** Asked to stop, or replaced: responses then ask callers to open their next connection elsewhere. */
  lifecycle: { draining: boolean; retiring: boolean }
  /** For a listener that serves TLS itself. */
  tls?: TlsMaterial
  /** For a browser at an unknown address; every other client gets JSON. */
  sendMissingPage?: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
}

/** A listener without routes: the parsing, validation, logging and refusals that every area shares. */
export function createHttp({ log, trustProxy, secure, lifecycle, tls, sendMissingPage }: HttpOptions): App {
  const proxies = new AddressRanges(trustProxy)
  const app = fastify({
    loggerInstance: requestLog(log),
    // Fastify's own line has the whole URL, which may carry a secret.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newRequestId,
    // A function: Fastify's own check of a list takes seven times as long, several times per request.
    trustProxy: trustProxy.length > 0 ? (address) => proxies.has(address) : false,
    bodyLimit: bounds.bodyLimit,
    requestTimeout: bounds.requestTimeout,
    connectionTimeout: bounds.connectionTimeout,
    keepAliveTimeout: bounds.keepAliveTimeout,
    http: wireBounds,
    ...(tls ? { https: { ...wireBounds, ...listenerTls(tls), handshakeTimeout: 10_000 } } : {}),
    routerOptions: { maxParamLength: 256 },
    // Also refused by a hook below.
    return503OnClosing: false,
    clientErrorHandler: refuseOnWire,
    // An address that cannot be parsed, or has a parameter longer than any of ours, is unknown.
    frameworkErrors: (_error, _request, reply) => {
      void (reply as FastifyReply).code(404).send(bodyOf(unknownAddress()))
    },
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(writeRefusal)
  app.server.on('checkExpectation', refuseExpectation)
  acceptJsonOnly(app as unknown as App, { prototypes: 'refused' })
  app.setNotFoundHandler((request, reply) => {
    refuseUnknownMethod(app as unknown as App, request, reply)
    // Browsers send it; Accept says little about a client.
    if (sendMissingPage && request.headers['sec-fetch-mode'] === 'navigate') return sendMissingPage(request, reply)
    throw unknownAddress()
  })
  // For every response; a page or a cacheable document sets its own.
  const headers = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(secure ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
  // With `done` rather than a promise: these run for every request.
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers).header('x-request-id', request.id)
    if (lifecycle.draining || lifecycle.retiring) reply.header('connection', 'close')
    if (closing) done(new Refusal(503, 'unavailable', 'This process is stopping. Send the request again.'))
    else done(hostProblem(request) ?? undefined)
  })
  // Decision 10.20: a route that declares no query has none; the others' is reduced by their schema.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.routeOptions.schema?.querystring === undefined) request.query = {}
    done()
  })
  // Fastify closes the connection of a body that its parser refuses. While its caller is still sending, it would be reset, and
  // the response lost with it: Node reads a body of this length to its end and discards it.
  app.addHook('onError', (request, reply, _error, done) => {
    const isSending = !request.raw.complete && Number(request.headers['content-length']) <= maxDiscardedBytes
    if (isSending && !lifecycle.draining && !lifecycle.retiring) reply.removeHeader('connection')
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    // Metrics count the thousands of successes per second; the log is for what went wrong.
    const level = reply.statusCode < 400 ? 'debug' : 'info'
    if (log.isLevelEnabled(level)) {
      const route = request.routeOptions.url ?? 'none'
      const line = { method: request.method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }
      request.log[level](line, 'request')
    }
    done()
  })
  warnOfUntrustedProxy(app as unknown as App, log, proxies)
  return app as unknown as App
}

/** Copied: what `randomUUID` returns is a chain of fifteen strings, 490 bytes instead of 66 for as long as a request waits. */
function newRequestId(): string {
  return Buffer.from(randomUUID(), 'latin1').toString('latin1')
}

/** Compiled at the first response of its kind, since compiling them all takes longer than the rest of a start. */
const serializerCompiler: FastifySerializerCompiler<object> = ({ schema }) => {
  let serialize: ((data: unknown) => string) | undefined
  return (data) => {
    serialize ??= serializerOf(schema)
    return serialize(data)
  }
}

const serializers = new WeakMap<object, (data: unknown) => string>()

/** Of two listeners, or two routes, with the same schema: the same. */
function serializerOf(schema: object): (data: unknown) => string {
  const serialize = serializers.get(schema) ?? fastJsonStringify(schema)
  serializers.set(schema, serialize)
  return serialize
}
