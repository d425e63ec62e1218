import { Type } from 'typebox'
import { Dictionary, Instant, Nullable } from '../../platform/http/schemas.ts'
import { partValidator } from '../../platform/http/validation.ts'
import { settingLimits } from '../../platform/own-limits.ts'
import { invalid } from '../../platform/refusal.ts'
import type { Value } from '../store/dictionaries.ts'
import { DataPoint } from '../telemetry/telemetry-schemas.ts'
import type { Report } from './setting-documents.ts'

/** A larger one does not fit into its column. */
const newestVersion = 2_147_483_646

export const SettingValue = Type.Unsafe<Value>({
  type: ['number', 'string', 'boolean'],
  description: 'A number, text or a boolean, as the data dictionary of the model says.',
})

export const Version = Type.Integer({
  minimum: 0,
  maximum: newestVersion,
  description: 'Counts up with every change; 0: nothing was ever wanted.',
})

/** What a device gets. */
export const DeviceConfig = Type.Object(
  {
    version: Version,
    config: Dictionary(SettingValue, { description: 'All settings that the device should have, by data point.' }),
    last_updated: Nullable({ ...Instant, description: 'When it last changed; null: never.' }),
  },
  { title: 'DeviceConfig', description: 'What the customer wants of the device, as a whole.' },
)

const Refusals = Type.Array(
  Type.Object(
    {
      key: DataPoint,
      message: Type.Optional(
        Type.String({ maxLength: 1_024, pattern: '^[^\\u0000]*$', description: 'Why, for people.' }),
      ),
      unsupported: Type.Optional(Type.Boolean({ description: 'True: this hardware does not have the setting.' })),
    },
    { title: 'RejectedSetting', description: 'A setting that the device refused.', additionalProperties: false },
  ),
  { maxItems: settingLimits.keys, description: 'What was refused. Without any, `rejected` is about all settings.' },
)

export const ConfigReport = Type.Object(
  {
    version: Version,
    result: Type.Enum(['applied', 'rejected'], { description: '`rejected`: at least one setting was refused.' }),
    details: Type.Optional(Refusals),
  },
  {
    title: 'ConfigReport',
    description: 'What the device made of a version. About an older version than it reported before, nothing changes.',
    additionalProperties: false,
  },
)

export const ConfigChange = Type.Object(
  {
    base_version: { ...Version, description: 'The version that the device knows; an older one is refused.' },
    values: Dictionary(SettingValue, {
      minProperties: 1,
      maxProperties: settingLimits.keys,
      propertyNames: DataPoint,
      description: 'What was changed at the device, by data point.',
    }),
  },
  {
    title: 'ConfigChange',
    description: 'A change that was made at the device: it becomes the next version.',
    additionalProperties: false,
  },
)

export interface LocalChange {
  base_version: number
  values: Record<string, Value>
}

const problemsOfReport = partValidator(ConfigReport)
const problemsOfChange = partValidator(ConfigChange)

/** The body of `POST …/config`, or of a message to the topic of that name. */
export function readConfigMessage(body: unknown): Report | LocalChange {
  const isChange = typeof body === 'object' && body !== null && 'base_version' in body
  const problems = isChange ? problemsOfChange(body) : problemsOfReport(body)
  if (problems.length > 0) throw invalid(...problems)
  const message = body as Report | LocalChange
  if ('details' in message && message.result === 'applied' && message.details!.length > 0) {
    throw invalid({ field: 'details', message: 'are only for `rejected`' })
  }
  return message
}
