import type { RouteOptions } from 'fastify'
import type { App } from './http.ts'
import { Refused } from './schemas.ts'

/**
 * Refusals that any route may answer, told by its shape: a route says only what is special to it. Call it before the
 * scope's routes.
 */
export function documentRefusals(app: App): void {
  app.addHook('onRoute', (route: RouteOptions) => {
    const { schema } = route
    if (!schema) return
    const own = (schema.response ?? {}) as Record<string, object>
    const common: Record<string, string[]> = { 401: [] }
    if (schema.params) common[404] = ['not_found']
    if (schema.querystring || schema.body) common[422] = ['invalid']
    if (schema.body)
      Object.assign(common, { 400: ['malformed_json'], 413: ['too_large'], 415: ['unsupported_media_type'] })
    const merged: Record<string, object> = { ...own }
    for (const [status, codes] of Object.entries(common)) {
      merged[status] = Refused([...new Set([...codes, ...codesOf(own[status])])])
    }
    route.schema = { ...schema, response: merged }
  })
}

function codesOf(schema: object | undefined): string[] {
  return (schema as { properties?: { code?: { enum?: string[] } } } | undefined)?.properties?.code?.enum ?? []
}
