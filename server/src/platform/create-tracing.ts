import type { Logger } from 'pino'
import { activeSpan, type Tracing } from './tracing.ts'

/** Null, and nothing of the SDK is loaded, unless its variables name a collector. */
export async function createTracing(environment: NodeJS.ProcessEnv, log: Logger): Promise<Tracing | null> {
  const endpoint = environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || environment.OTEL_EXPORTER_OTLP_ENDPOINT
  const disabled = environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true'
  if (!endpoint || disabled || environment.OTEL_TRACES_EXPORTER === 'none') return null
  const { startOpenTelemetry } = await import('./open-telemetry.ts')
  return startOpenTelemetry(environment, log, activeSpan)
}
