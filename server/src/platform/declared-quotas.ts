import type { RouteOptions } from 'fastify'
import type { App } from './http/app.ts'
import { addRefusals } from './http/document-refusals.ts'
import type { QuotaName } from './own-limits.ts'
import { quotaCode } from './quotas.ts'

/** The quotas of what a call may create, or why there is none (decision 10.24). */
export type Creates = QuotaName | readonly QuotaName[] | { unlimited: string }

const creating = new Set(['POST', 'PUT'])

/** A call that could create something and does not say which quota bounds it does not start. Call it before the scope's routes. */
export function requireDeclaredQuotas(app: App): void {
  app.addHook('onRoute', (route: RouteOptions & { config?: { creates?: Creates; refuses?: boolean } }) => {
    const { method, url, config } = route
    const quotas = quotasOf(config?.creates)
    if (quotas.length > 0) addRefusals(route, { 409: quotas.map(quotaCode) })
    if (![method].flat().some((name) => creating.has(name)) || config?.creates || config?.refuses) return
    throw new Error(`${method} ${url} must declare \`creates\`: a quota, or why there is none (decision 10.24).`)
  })
}

export function quotasOf(creates: Creates | undefined): readonly QuotaName[] {
  if (creates === undefined) return []
  if (typeof creates === 'string') return [creates]
  return 'unlimited' in creates ? [] : creates
}
