import type { FastifyError, FastifyRequest } from 'fastify'
import { requestLimits } from '../own-limits.ts'
import { Refusal } from '../refusal.ts'
import type { App } from './app.ts'
import { requirePlainBody } from './json-body.ts'
import { toRefusal } from './refusals.ts'

/**
 * The parameters of a query or a form, as they were sent. A schema would hide a repeated one, and parameter
 * pollution exploits that programs choose different values (RFC 6749 section 3.1).
 */
export class Parameters {
  readonly #values: URLSearchParams

  constructor(text: string) {
    this.#values = new URLSearchParams(text)
  }

  /** The value, or undefined when it is missing or empty: a parameter sent without a value counts as omitted. */
  get(name: string): string | undefined {
    return this.#values.get(name) || undefined
  }

  /** Of a field that may be sent several times, as checkboxes are. */
  all(name: string): string[] {
    return this.#values.getAll(name)
  }

  /** The first of these names that was sent more than once. */
  repeated(...names: string[]): string | undefined {
    return names.find((name) => this.#values.getAll(name).length > 1)
  }
}

/** The query of a request's address, with repeated parameters. */
export function readQuery(url: string): Parameters {
  const mark = url.indexOf('?')
  return new Parameters(mark < 0 ? '' : url.slice(mark + 1))
}

/** Contract 7.3 and 7.4; pages use the same. */
const noForm = { status: 400, code: 'invalid_request' }

function notAForm(): Refusal {
  const sentence = 'The body must be sent as application/x-www-form-urlencoded.'
  return new Refusal(noForm.status, noForm.code, sentence, { reason: 'body_not_form' })
}

/** `toRefusal` for a scope that accepts forms only: a content type that Fastify cannot parse is not a form either. */
export function toFormRefusal(error: FastifyError | Refusal, method: string): Refusal {
  return error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' ? notAForm() : toRefusal(error, method)
}

/** In this scope a body must be a form: `request.body` is its Parameters, or undefined without a body. */
export function acceptFormsOnly(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: requestLimits.formBytes },
    (request: FastifyRequest, body, done) => {
      try {
        requirePlainBody(request, noForm)
        done(null, new Parameters(body as string))
      } catch (error) {
        done(error as Refusal)
      }
    },
  )
  app.addContentTypeParser('*', (_request, _payload, done) => done(notAForm()))
}
