import { Type } from 'typebox'
import { Line } from '../../platform/http/schemas.ts'
import { dictionaryLimits } from '../../platform/own-limits.ts'
import type { Value } from '../store/dictionaries.ts'
import { DataPoint } from '../telemetry/telemetry-schemas.ts'

const Meaning = Type.Object(
  {
    value: Type.Unsafe<Value>({
      type: ['number', 'string', 'boolean'],
      maxLength: 200,
      pattern: '^[^\\u0000]*$',
      description: 'a value as devices send it; text of 200 characters or fewer',
    }),
    label: Type.Optional(Line(100, { description: 'What it means, on one line.' })),
    alarm: Type.Optional(Type.Boolean({ description: 'True: a device with this value needs attention.' })),
  },
  { title: 'ValueMeaning', description: 'What one value of a data point means.', additionalProperties: false },
)

export const DictionaryEntry = Type.Object(
  {
    key: DataPoint,
    type: Type.Enum(['number', 'boolean', 'text'], { description: 'What its values are.' }),
    label: Type.Optional(Line(100, { description: 'The name for people, on one line.' })),
    description: Type.Optional(Line(500, { description: 'What it is about, on one line.' })),
    unit: Type.Optional(Line(20, { description: 'The unit of a number, such as °C.' })),
    decimals: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 10, description: 'Digits behind the decimal point of a number.' }),
    ),
    min: Type.Optional(Type.Number({ description: 'The smallest number that is in range.' })),
    max: Type.Optional(Type.Number({ description: 'The largest number that is in range.' })),
    values: Type.Optional(
      Type.Array(Meaning, { maxItems: dictionaryLimits.values, description: 'What single values mean.' }),
    ),
    chart: Type.Optional(Type.Boolean({ description: 'True: the chart of a device opens with it.' })),
    settable: Type.Optional(
      Type.Boolean({ description: 'True: customers may set it, and devices are sent what they want.' }),
    ),
  },
  {
    title: 'DictionaryEntry',
    description: 'What a data point means and how it is shown.',
    additionalProperties: false,
  },
)

export const DataDictionary = Type.Object(
  {
    data_points: Type.Array(DictionaryEntry, {
      maxItems: dictionaryLimits.dataPoints,
      description: 'In the order in which they are shown.',
    }),
  },
  {
    title: 'DataDictionary',
    description: 'What the data points of a model mean. Telemetry is never refused because of it.',
    additionalProperties: false,
  },
)
