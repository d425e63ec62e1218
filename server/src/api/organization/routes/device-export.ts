import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { writeChosenCsv, writeMatchingCsv } from '../../../devices/registry/device-csv.ts'
import { sendExport } from '../../../platform/gated-reads.ts'
import type { App } from '../../../platform/http/app.ts'
import { refusals } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { beginExport } from '../../shared/exports.ts'
import { readerFor, reading } from '../../shared/reads.ts'
import { tagged } from '../../shared/route-schemas.ts'
import { callerOf, ownerOf } from '../authenticate-organization.ts'
import { Chosen } from './device-change-routes.ts'
import { DeviceFilters, readFilters, Sort } from './organization-device-routes.ts'

const route = tagged('Organization: devices')
const csv = <Content>() => ({
  description: 'CSV: one device per line.',
  content: { 'text/csv': { schema: Type.Unsafe<Content>({ type: 'string' }) } },
})

export function deviceExportRoutes(app: App, context: Context): void {
  app.get(
    '/devices.csv',
    route({
      permission: 'devices: read',
      reads: 'growing',
      summary: 'Export devices as CSV',
      description:
        'All that match, in one response that is written as it is read. A quote before it keeps spreadsheets from running ' +
        'text that begins like a formula. The export is in the audit log.',
      querystring: Type.Object({ ...DeviceFilters, sort: Sort }),
      response: { 200: csv<Readable>(), ...refusals({ 422: ['too_many_to_sort'] }) },
    }),
    async (request, reply) => {
      const { actor } = callerOf(request)
      const owner = ownerOf(request)
      const file = { what: 'devices', extension: 'csv', details: request.query } as const
      return sendExport(context, {
        reader: readerFor(owner, request),
        reply: reply.type('text/csv; charset=utf-8') as FastifyReply,
        open: async (gated) => writeMatchingCsv(gated, owner, await readFilters(gated, owner, request.query)),
        begin: () => beginExport(context, { actor, owner, ...file }),
      })
    },
  )

  app.post(
    '/devices.csv',
    route({
      permission: 'devices: read',
      creates: { unlimited: 'a read' },
      reads: 'growing',
      summary: 'Export chosen devices as CSV',
      description: 'In the order of the call; devices that are not yours are left out.',
      body: Chosen,
      response: { 200: csv<string>() },
    }),
    async (request, reply) => {
      const { actor } = callerOf(request)
      const owner = ownerOf(request)
      const text = await writeChosenCsv(reading(context, owner, request), owner, request.body.device_ids)
      const file = { what: 'devices', extension: 'csv', details: { devices: request.body.device_ids.length } } as const
      reply.header('content-disposition', await beginExport(context, { actor, owner, ...file }))
      return reply.type('text/csv; charset=utf-8').send(text)
    },
  )
}
