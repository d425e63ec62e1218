import type { Context } from '../../../context.ts'
import { replaceDictionary } from '../../../devices/registry/dictionary.ts'
import { DataDictionary, dictionaryLimits } from '../../../devices/registry/dictionary-schemas.ts'
import { IdPath } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/server.ts'
import { guardedChange, tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate.ts'

const route = tagged('Partner: models')

export function dictionaryRoutes(app: App, context: Context): void {
  app.put(
    '/models/:id/dictionary',
    {
      bodyLimit: dictionaryLimits.bytes,
      ...route({
        summary: "Replace a model's data dictionary",
        description:
          'Customers see it at once. It never decides which telemetry is stored: unknown data points, values of another ' +
          'type and values out of range are stored as before.',
        params: IdPath,
        body: DataDictionary,
        ...guardedChange(DataDictionary),
      }),
    },
    async (request) => {
      const { actor, partner_id } = callerOf(request)
      const ifMatch = request.headers['if-match']
      return replaceDictionary(context, actor, partner_id, request.params.id, request.body, ifMatch)
    },
  )
}
