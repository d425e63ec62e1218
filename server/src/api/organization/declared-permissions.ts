import type { FastifyRequest, RouteOptions } from 'fastify'
import { allPermissions, type Needed } from '../../directory/permissions.ts'
import type { App } from '../../platform/http/app.ts'
import { addRefusals } from '../../platform/http/document-refusals.ts'

interface Declaration {
  permission?: Needed
  refuses?: boolean
  /** Contract 4.6: 200 for every access token. One that lacks the permission gets an empty list. */
  everyToken?: boolean
}

type Declared = RouteOptions & { config?: Declaration }

/** An operation that does not say what it needs does not start. Call it before the scope's routes. */
export function requireDeclaredPermissions(app: App): void {
  app.addHook('onRoute', (route: Declared) => {
    const { method, url, config, schema } = route
    if (config?.refuses) return
    const needed = config?.permission
    if (needed === undefined || !(needed === 'none' || allPermissions.includes(needed)))
      throw new Error(`${method} ${url} must declare \`permission\`: what its caller needs (decision 6.47).`)
    if (!schema || needed === 'none') return
    const lacking = [...(config?.everyToken ? [] : ['not_approved']), 'not_permitted']
    const description = [schema.description, `Needs the permission \`${needed}\`.`].filter(Boolean).join(' ')
    route.schema = { ...schema, description, 'x-permission': needed } as typeof schema
    if (needed !== 'integrations: manage') addRefusals(route, { 403: lacking })
  })
}

/** An unknown path needs none: its caller gets the 404. */
export function permissionOf({ routeOptions: { config } }: FastifyRequest): Needed {
  return (config as Declaration | undefined)?.permission ?? 'none'
}

export function respondsToEveryToken({ routeOptions: { config } }: FastifyRequest): boolean {
  return (config as Declaration | undefined)?.everyToken ?? false
}
