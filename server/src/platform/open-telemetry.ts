// Loaded only while tracing is on: see tracing.ts.
import type { AsyncLocalStorage } from 'node:async_hooks'
import { type Attributes, DiagLogLevel, diag, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { SpanOptions, TraceSpan, Tracing } from './tracing.ts'

type Environment = NodeJS.ProcessEnv

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, producer: SpanKind.PRODUCER }

/** Anybody can ask for a trace: beyond this, a request starts a trace of its own, which the sampler decides about. */
const callersPerSecond = 100

/** Asked every second or so, and about the process rather than its work. */
const untraced = new Set(['/healthz', '/readyz', '/metrics'])

export function startOpenTelemetry(
  environment: Environment,
  log: Logger,
  activeSpan: AsyncLocalStorage<TraceSpan>,
): Tracing {
  const report = reportOncePerMinute(log)
  const ignore = () => {}
  const logger = { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const protocol = environment.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || environment.OTEL_EXPORTER_OTLP_PROTOCOL
  if (protocol === 'grpc') log.warn('traces are sent as http/json: OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not supported')
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'landbridge' }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(environment, log),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), ...batchingOf(environment) })],
  })
  const tracer = provider.getTracer('landbridge')
  const hasRoomForCaller = perSecond(callersPerSecond)

  function start({ name, kind, parent, caller, attributes }: SpanOptions): TraceSpan {
    const remote = readTraceparent(parent) ?? acceptCaller(caller)
    return startSpan(name, kinds[kind], remote, attributes)
  }

  function acceptCaller(caller: unknown) {
    const parent = readTraceparent(caller)
    return parent && (!isSampled(parent) || hasRoomForCaller()) ? parent : null
  }

  function startSpan(name: string, kind: SpanKind, parent: ParentSpan | null, attributes: Attributes = {}): TraceSpan {
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT
    const span = tracer.startSpan(name, { kind, attributes }, context)
    const own = span.spanContext()
    return {
      traceparent: writeTraceparent(own),
      sampled: isSampled(own),
      end(attributes, result) {
        if (attributes) span.setAttributes(attributes)
        if (result?.failed) span.setStatus({ code: SpanStatusCode.ERROR })
        span.end()
      },
    }
  }

  return {
    start,
    startChild(name) {
      const parent = activeSpan.getStore()
      return parent?.sampled ? startSpan(name, SpanKind.INTERNAL, readTraceparent(parent.traceparent)) : null
    },
    run: (span, work) => activeSpan.run(span, work),
    watchHttp(app) {
      const spans = new WeakMap<FastifyRequest, TraceSpan>()
      app.addHook('onRequest', (request, _reply, done) => {
        const { method, id } = request
        // The pattern, never the address itself, which has ids and may carry a secret.
        const route = request.is404 ? undefined : request.routeOptions.url
        if (!untraced.has(route ?? '')) {
          const name = route ? `${method} ${route}` : method
          const attributes = { 'http.request.method': method, 'landbridge.request_id': id }
          if (route) Object.assign(attributes, { 'http.route': route })
          spans.set(request, start({ name, kind: 'server', caller: request.headers.traceparent, attributes }))
        }
        done()
      })
      // Not in `onRequest`: what follows the body runs in the async context of the socket.
      app.addHook('preValidation', (request, _reply, done) => {
        const span = spans.get(request)
        if (span) activeSpan.run(span, done)
        else done()
      })
      app.addHook('onResponse', (request, { statusCode }, done) => {
        spans.get(request)?.end({ 'http.response.status_code': statusCode }, { failed: statusCode >= 500 })
        done()
      })
    },
    close: () => provider.shutdown().catch(({ message }: Error) => report(message)),
  }
}

interface ParentSpan {
  traceId: string
  spanId: string
  traceFlags: number
}

/** Version 00 of W3C Trace Context and nothing else. `tracestate` is not passed on. */
function readTraceparent(header: unknown): ParentSpan | null {
  if (typeof header !== 'string') return null
  const [, traceId, spanId, flags] =
    /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/.exec(header) ?? []
  return traceId && spanId && flags ? { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1 } : null
}

function writeTraceparent({ traceId, spanId, traceFlags }: ParentSpan): string {
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`
}

function isSampled({ traceFlags }: ParentSpan): boolean {
  return (traceFlags & 1) === 1
}

/** This SDK leaves the variables of samplers and batches to whoever creates them. */
function samplerOf(environment: Environment, log: Logger): Sampler {
  const ratio = Number(environment.OTEL_TRACES_SAMPLER_ARG || 1)
  const name = environment.OTEL_TRACES_SAMPLER || 'parentbased_always_on'
  const samplers: Record<string, () => Sampler> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio >= 0 && ratio <= 1 ? ratio : 1),
  }
  const root = samplers[name.replace(/^parentbased_/, '')]
  if (!root) log.warn(`OTEL_TRACES_SAMPLER=${name} is not supported: every trace is sampled`)
  const sampler = root?.() ?? new AlwaysOnSampler()
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root: sampler }) : sampler
}

function batchingOf(environment: Environment) {
  const options = {
    scheduledDelayMillis: environment.OTEL_BSP_SCHEDULE_DELAY,
    exportTimeoutMillis: environment.OTEL_BSP_EXPORT_TIMEOUT,
    maxQueueSize: environment.OTEL_BSP_MAX_QUEUE_SIZE,
    maxExportBatchSize: environment.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
  }
  const numbers = Object.entries(options).map(([option, text]) => [option, Number(text)] as const)
  return Object.fromEntries(numbers.filter(([, number]) => number > 0))
}

function perSecond(max: number): () => boolean {
  let second = 0
  let count = 0
  return () => {
    const now = Math.floor(performance.now() / 1000)
    if (now !== second) count = 0
    second = now
    count += 1
    return count <= max
  }
}

/** An unreachable collector fails every few seconds. */
function reportOncePerMinute(log: Logger): (message: string) => void {
  let nextAt = 0
  return (message) => {
    if (performance.now() < nextAt) return
    nextAt = performance.now() + 60_000
    log.warn({ reason: reasonOf(message) }, 'traces not exported')
  }
}

/** The SDK reports an error as JSON with its stack. */
function reasonOf(message: string): string {
  try {
    const { message: text, code, name } = JSON.parse(message)
    return text || code || name
  } catch {
    return message
  }
}
