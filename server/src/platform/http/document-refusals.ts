import type { RouteOptions } from 'fastify'
import type { App } from './app.ts'
import { readOnly } from './refusals.ts'
import { type RefusalStatus, Refused } from './schemas.ts'

export type Codes = Partial<Record<RefusalStatus, readonly string[]>>

/** The codes of a 415: the wrong content type, or compressed content. */
export const unsupportedBody = ['unsupported_media_type', 'unsupported_content_encoding'] as const

/**
 * Documents the refusals that follow from a route's shape; a route lists only its own. `everywhere` are those of the
 * scope's authentication. Call it before the scope's routes.
 */
export function documentRefusals(app: App, everywhere: Codes = {}): void {
  app.addHook('onRoute', (route: RouteOptions) => {
    if (!route.schema) return
    addRefusals(route, everywhere)
    addRefusals(route, { 401: [], 500: ['internal'], 503: ['unavailable'] })
    if (route.schema.params) addRefusals(route, { 404: ['not_found'] })
    if (route.schema.querystring || route.schema.body) addRefusals(route, { 422: ['invalid'] })
    if (![route.method].flat().every((method) => readOnly.has(method))) {
      addRefusals(route, {
        400: ['malformed_json'],
        413: ['too_large'],
        415: unsupportedBody,
        503: ['unknown_outcome'],
      })
    }
  })
}

/** Adds codes to those the route documents already. */
export function addRefusals(route: RouteOptions, codes: Codes): void {
  const response = { ...(route.schema?.response as Record<string, object>) }
  for (const [status, added] of Object.entries(codes)) {
    response[status] = Refused([...new Set([...codesOf(response[status]), ...added])])
  }
  route.schema = { ...route.schema, response }
}

function codesOf(schema: object | undefined): string[] {
  return (schema as { properties?: { code?: { enum?: string[] } } } | undefined)?.properties?.code?.enum ?? []
}
