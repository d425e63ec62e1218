import { Type } from 'typebox'
import { replaceDictionary } from '../../../devices/registry/dictionary.ts'
import { DataDictionary, DictionaryEntry } from '../../../devices/registry/dictionary-schemas.ts'
import { suggestDictionary } from '../../../devices/registry/dictionary-suggestions.ts'
import { describeModel } from '../../../devices/registry/model-document.ts'
import type { App } from '../../../platform/http/app.ts'
import { IdPath, Nullable, refusals } from '../../../platform/http/schemas.ts'
import { dictionaryLimits } from '../../../platform/own-limits.ts'
import type { Context } from '../../context.ts'
import { reading } from '../../shared/reads.ts'
import { guardedChange, tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate-partner.ts'

const route = tagged('Partner: models')

const Suggestion = Type.Object(
  {
    entry: DictionaryEntry,
    devices: Type.Integer({ description: 'How many of the devices that were looked at have it.' }),
    min: Nullable(Type.Number({ description: 'The smallest number among their latest values; null without numbers.' })),
    max: Nullable(Type.Number({ description: 'The largest number among their latest values; null without numbers.' })),
  },
  { title: 'DictionarySuggestion', description: 'An entry for a data point that devices have sent.' },
)
const Suggestions = Type.Object(
  { items: Type.Array(Suggestion), next: Type.Null() },
  { title: 'DictionarySuggestionList', description: 'Entries for what devices have sent; there is one page.' },
)

const ModelDocument = Type.Unsafe<object>({
  type: 'object',
  additionalProperties: true,
  title: 'ModelDocument',
  description: 'An OpenAPI 3.1 document; the message is its schema `Telemetry`.',
})

export function dictionaryRoutes(app: App, context: Context): void {
  app.put(
    '/models/:id/dictionary',
    {
      bodyLimit: dictionaryLimits.bytes,
      ...route({
        creates: { unlimited: 'replaces the dictionary of the model, whose size is bounded' },
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

  app.get(
    '/models/:id/dictionary/suggestions',
    route({
      reads: 'growing',
      summary: 'Suggest entries for a data dictionary',
      description:
        'From the latest values of the 100 newest devices that have sent something: type, label and unit by the key, ' +
        'decimals by the values. Nothing is changed.',
      params: IdPath,
      response: { 200: Suggestions, ...refusals({ 422: ['read_too_large'], 429: ['too_many_reads'] }) },
    }),
    async (request) => {
      const { partner_id } = callerOf(request)
      const gated = reading(context, { partner_id }, request)
      return { items: await suggestDictionary(gated, partner_id, request.params.id, request.signal), next: null }
    },
  )

  app.get(
    '/models/:id/openapi.json',
    route({
      reads: 'bounded',
      summary: "Get the OpenAPI document of a model's telemetry",
      description: 'With the data points of its dictionary: type, unit, range and meaning.',
      params: IdPath,
      response: { 200: ModelDocument },
    }),
    async (request) => describeModel(context, callerOf(request).partner_id, request.params.id),
  )
}
