// Requests made from the OpenAPI document, and what it says about their responses.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { type Operation, type Schema, streams } from '../openapi/document.ts'
import type { FuzzRequest } from '../openapi/requests.ts'
import type { Source, Try } from './kinds.ts'
import type { Reply } from './wire.ts'
import type { Worlds } from './worlds.ts'

const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
const validators = new Map<Schema, ValidateFunction>()

export function apiSource(worlds: Worlds): Source {
  let turn = 0
  return () => {
    turn += 1
    return tryOf(worlds.take(turn).nextRequest())
  }
}

export function tryOf({ operation, method, url, headers, payload }: FuzzRequest): Try {
  return {
    operation: operation.id,
    shot: {
      method,
      url,
      headers: Object.entries(headers),
      ...(payload === undefined ? {} : { payload }),
      endless: streams(operation) || isOfAll(operation),
    },
    judge: (reply) => faultOf(operation, url, reply),
  }
}

/** What every tenant has caused, which grows with the run; tenants read all of their own. */
function isOfAll({ id }: Operation): boolean {
  return id.startsWith('operator.auditEvents.export')
}

export function faultOf(operation: Operation, url: string, { status, headers, body }: Reply): string | null {
  // Limits are met on purpose by some, and a head that is too large never reaches its operation.
  if (status === 429 || (status === 431 && url.length > 4_000)) return null
  const documented = operation.responses[status]
  if (!documented) return `${status}, which is not documented: ${body.slice(0, 300)}`
  // A page, a file or nothing at all.
  if (!documented.schema) return null
  const type = headers['content-type'] ?? ''
  if (!type.includes('application/json')) return body === '' ? null : `${status} as ${type}`
  if (body === '' && documented.schema.type === 'null') return null
  const validate = validatorOf(documented.schema)
  return validate(JSON.parse(body))
    ? null
    : `${status} breaks its schema: ${ajv.errorsText(validate.errors)} ${body.slice(0, 500)}`
}

function validatorOf(schema: Schema): ValidateFunction {
  const validate = validators.get(schema) ?? ajv.compile(schema)
  validators.set(schema, validate)
  return validate
}
