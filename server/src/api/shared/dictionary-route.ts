import { getDictionary } from '../../devices/registry/dictionary.ts'
import { DataDictionary } from '../../devices/registry/dictionary-schemas.ts'
import type { App } from '../../platform/http/app.ts'
import { IdPath } from '../../platform/http/schemas.ts'
import type { Context } from '../context.ts'
import type { Callers } from './caller.ts'
import { tagged } from './route-schemas.ts'

export function dictionaryRoute(app: App, context: Context, callers: Callers): void {
  const isPartner = callers.api === 'Partner'
  app.get(
    '/models/:id/dictionary',
    tagged(isPartner ? 'Partner: models' : 'Organization: devices')({
      permission: 'devices: read',
      reads: 'bounded',
      summary: "Get a model's data dictionary",
      description: isPartner
        ? 'What its data points mean, as it was last replaced; empty at first. The document can be sent back as it is.'
        : 'What the data points of its devices mean, as its partner wrote it. Of models of which you have a device.',
      params: IdPath,
      response: { 200: DataDictionary },
    }),
    async (request) => getDictionary(context, callers.devicesOf(request), request.params.id),
  )
}
