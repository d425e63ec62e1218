import pino, { type Logger } from 'pino'

/** No secret is ever logged on purpose; these names are redacted in case one is by mistake. */
const secretNames = [
  ...['authorization', 'cookie', 'password', 'secret', 'client_secret', 'token', 'access_token', 'refresh_token'],
  ...['id_token', 'code_verifier', 'hardware_key', 'access_key', 'api_key', 'parameters'],
]

export function createLog(level: string, destination?: pino.DestinationStream): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[secret]' },
    hooks: { logMethod: oncePerMinute() },
  }
  return destination ? pino(options, destination) : pino(options)
}

type LogMethod = NonNullable<NonNullable<pino.LoggerOptions['hooks']>['logMethod']>

const minuteMilliseconds = 60_000
const maxRemembered = 1_000

/**
 * A fault such as a full disk fails every request: of equal warnings and errors one is written per minute, with the
 * number of those left out since the one before.
 */
function oncePerMinute(): LogMethod {
  const written = new Map<string, { at: number; suppressed: number }>()
  return function (args, method, level) {
    const { warn, fatal } = pino.levels.values
    // The last words of a process are never left out.
    if (level < warn! || level >= fatal!) return method.apply(this, args)
    const [first, message] = args as unknown as [unknown, unknown]
    const details = typeof first === 'object' && first !== null ? (first as Record<string, unknown>) : null
    const key = `${level} ${details ? message : first} ${details ? kindOf(details) : ''}`
    const now = performance.now()
    const last = written.get(key)
    if (last && now - last.at < minuteMilliseconds) {
      last.suppressed += 1
      return
    }
    if (written.size >= maxRemembered) written.clear()
    written.set(key, { at: now, suppressed: 0 })
    if (!last?.suppressed) return method.apply(this, args)
    const again = { ...details, suppressed: last.suppressed }
    method.apply(this, [again, details ? message : first] as unknown as Parameters<typeof method>)
  }
}

/** Distinguishes two errors with the same message, without the parts that differ each time. */
function kindOf({ err, postgres, what, job, kid, reason }: Record<string, unknown>): string {
  if (err instanceof Error) return [kindOfError(err), job, kid, reason].join(' ')
  return String(postgres ?? what ?? reason ?? '').replaceAll(/\d+/g, '')
}

/** Errors of Postgres share a code between tables and rules; the message may have the values of a row. */
function kindOfError(
  err: Error & { code?: unknown; routine?: unknown; table?: unknown; constraint?: unknown },
): string {
  return err.code === undefined ? err.message : [err.code, err.routine, err.table, err.constraint].join(' ')
}
