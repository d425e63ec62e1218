import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { Context } from '../../../context.ts'
import { writeChosenCsv, writeMatchingCsv } from '../../../devices/registry/device-csv.ts'
import { refusals } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/server.ts'
import { tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate.ts'
import { Chosen } from './device-changes.ts'
import { DeviceFilters, readFilters, Sort } from './devices.ts'

const route = tagged('Organization: devices')
const csv = <Content>() => ({
  description: 'CSV: one device per line.',
  content: { 'text/csv': { schema: Type.Unsafe<Content>({ type: 'string' }) } },
})
const asFile = 'attachment; filename="devices.csv"'

export function deviceExportRoutes(app: App, context: Context): void {
  app.get(
    '/devices.csv',
    route({
      summary: 'Export devices as CSV',
      description:
        'All that match, in one response that is written as it is read. A leading quote keeps spreadsheets from running ' +
        'text that begins like a formula.',
      querystring: Type.Object({ ...DeviceFilters, sort: Sort }),
      response: { 200: csv<Readable>(), ...refusals({ 422: ['too_many_to_sort'] }) },
    }),
    async (request, reply) => {
      const { customer_id } = callerOf(request)
      const filters = await readFilters(context, customer_id, request.query)
      const lines = await writeMatchingCsv(context, customer_id, filters)
      reply.header('content-disposition', asFile)
      return reply.type('text/csv; charset=utf-8').send(Readable.from(lines))
    },
  )

  app.post(
    '/devices.csv',
    route({
      summary: 'Export chosen devices as CSV',
      description: 'In the order of the call; devices that are not yours are left out.',
      body: Chosen,
      response: { 200: csv<string>() },
    }),
    async (request, reply) => {
      const { customer_id } = callerOf(request)
      const text = await writeChosenCsv(context, customer_id, request.body.device_ids)
      reply.header('content-disposition', asFile)
      return reply.type('text/csv; charset=utf-8').send(text)
    },
  )
}
