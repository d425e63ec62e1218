import type { FastifyError, FastifyRequest } from 'fastify'
import { Refusal } from '../refusal.ts'
import { requirePlainBody } from './json-body.ts'
import { toRefusal } from './refusals.ts'
import type { App } from './server.ts'

/** No honest OAuth request or sign-in form comes near this. */
const maxBytes = 64 * 1024

/**
 * The parameters of a query or a form, as they were sent. A schema would hide a repeated one, and which of two values
 * counts is how parameter-pollution attacks begin (RFC 6749 section 3.1).
 */
export class Parameters {
  readonly #values = new Map<string, string[]>()

  constructor(text: string) {
    for (const [name, value] of pairs(text)) {
      const values = this.#values.get(name)
      if (values) values.push(value)
      else this.#values.set(name, [value])
    }
  }

  /** The value, or undefined when it is missing or empty: a parameter sent without a value counts as omitted. */
  get(name: string): string | undefined {
    return this.#values.get(name)?.[0] || undefined
  }

  /** The first of these names that was sent more than once. */
  repeated(...names: string[]): string | undefined {
    return names.find((name) => (this.#values.get(name)?.length ?? 0) > 1)
  }
}

/** What needs no decoding, which is nearly every OAuth request, is only cut up; the rest is left to the URL standard. */
function pairs(text: string): Iterable<[string, string]> {
  if (text.includes('%') || text.includes('+') || text.startsWith('?')) return new URLSearchParams(text)
  return text.split('&').flatMap((pair): [string, string][] => {
    if (pair === '') return []
    const mark = pair.indexOf('=')
    return mark < 0 ? [[pair, '']] : [[pair.slice(0, mark), pair.slice(mark + 1)]]
  })
}

/** The raw query of a request's address, duplicates and all. */
export function readQuery(url: string): Parameters {
  const mark = url.indexOf('?')
  return new Parameters(mark < 0 ? '' : url.slice(mark + 1))
}

/** 7.3 and 7.4 have one refusal for a body that is no form, and pages the same. */
const noForm = { status: 400, code: 'invalid_request' }

function notAForm(): Refusal {
  return new Refusal(noForm.status, noForm.code, 'The body must be sent as application/x-www-form-urlencoded.')
}

/** `toRefusal` for a scope that accepts forms only: a content type that cannot be read is no form either. */
export function toFormRefusal(error: FastifyError | Refusal): Refusal {
  return error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' ? notAForm() : toRefusal(error)
}

/** In this scope a body is a form and nothing else: `request.body` is its Parameters, or undefined when there is none. */
export function acceptFormsOnly(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: maxBytes },
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
