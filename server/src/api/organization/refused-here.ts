import type { FastifyRequest } from 'fastify'
import { reachedDevices } from '../../devices/registry/device-names.ts'
import { reachedSpaces } from '../../directory/organization/spaces.ts'
import { type Needed, whereTo } from '../../directory/permissions.ts'
import type { App } from '../../platform/http/app.ts'
import type { Context } from '../context.ts'
import { callerOf, notPermittedHere } from './authenticate-organization.ts'
import { permissionOf } from './declared-permissions.ts'

/**
 * Who may read in more places than change learns that a change is not permitted here: to the change itself, what lies
 * outside does not exist. Asks nothing for everybody else.
 */
export function refuseWhereOnlyRead(app: App, context: Context): void {
  app.addHook('preHandler', async (request) => {
    const needed = permissionOf(request)
    const { customer_id, within, reach } = callerOf(request)
    const target = targetOf(request, needed)
    if (within === null || target === null) return
    const readable = whereTo(reach, `${target.area}: read`)
    if (readable?.every((space) => within.includes(space))) return
    const reached = target.area === 'devices' ? reachedDevices : reachedSpaces
    const [read, changed] = await Promise.all([
      reached(context, { customer_id, within: readable }, [target.id]),
      reached(context, { customer_id, within }, [target.id]),
    ])
    if (read.has(target.id) && !changed.has(target.id)) throw notPermittedHere(needed)
  })
}

function targetOf(request: FastifyRequest, needed: Needed): { area: 'devices' | 'spaces'; id: string } | null {
  const { id } = (request.params ?? {}) as { id?: string }
  const [, area, level] = /^(devices|spaces): (\w+)$/.exec(needed) ?? []
  if (!id || !area || level === 'read' || !request.routeOptions.url?.includes(`/${area}/:id`)) return null
  return { area: area as 'devices' | 'spaces', id: id.toLowerCase() }
}
