import { AsyncLocalStorage } from 'node:async_hooks'
import type { Attributes } from '@opentelemetry/api'
import type { App } from './http/app.ts'

/** Spans for OpenTelemetry. A Context has null instead while tracing is off, so that a check is all it costs. */
export interface Tracing {
  /** A span per request of this listener; its handler runs in it. */
  watchHttp(app: App): void
  start(options: SpanOptions): TraceSpan
  /** A child of the span that this code runs in; null outside of any, and in one that is not sampled. */
  startChild(name: string): TraceSpan | null
  /** What `work` does belongs to the span: events that it queues, and children that it starts. */
  run<Result>(span: TraceSpan, work: () => Result): Result
  /** Exports what has ended. */
  close(): Promise<void>
}

export interface SpanOptions {
  name: string
  kind: 'server' | 'client' | 'producer'
  /** The `traceparent` of a span of ours. */
  parent?: string | null
  /** The `traceparent` that a caller sent, whatever it is. */
  caller?: unknown
  /** Never a URL, a secret or a value that a device sent. */
  attributes?: Attributes
}

export interface TraceSpan {
  /** W3C Trace Context, as a header carries it. */
  traceparent: string
  sampled: boolean
  end(attributes?: Attributes, result?: { failed: boolean }): void
}

/** The span that code runs in. Empty while tracing is off. */
export const activeSpan = new AsyncLocalStorage<TraceSpan>()

/** For a row that continues the trace later; null where nothing would be exported. */
export function currentTraceparent(): string | null {
  const span = activeSpan.getStore()
  return span?.sampled ? span.traceparent : null
}
