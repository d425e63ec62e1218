import pino, { type Logger } from 'pino'

/** No secret is ever logged on purpose; these names are redacted in case one is by mistake. */
const secretNames = [
  ...['authorization', 'cookie', 'password', 'secret', 'client_secret', 'token', 'access_token', 'refresh_token'],
  ...['id_token', 'code_verifier', 'hardware_key', 'access_key', 'api_key', 'parameters'],
]

export function createLog(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[secret]' },
  })
}
