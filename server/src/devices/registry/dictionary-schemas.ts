import { Type } from 'typebox'
import type { Value } from '../store/dictionaries.ts'
import { DataPoint } from '../telemetry/schemas.ts'

/** Decision 7.37. */
export const dictionaryLimits = { bytes: 256 * 1024, dataPoints: 200, values: 50, chart: 20 } as const

const text = (maxLength: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    // As in `Name`: at least one visible character and no control characters.
    pattern: '^[^\\S\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$',
    description,
  })

const Meaning = Type.Object(
  {
    value: Type.Unsafe<Value>({
      type: ['number', 'string', 'boolean'],
      maxLength: 200,
      pattern: '^[^\\u0000]*$',
      description: 'a value as devices send it; text of 200 characters or fewer',
    }),
    label: Type.Optional(text(100, 'what it means, in 100 characters or fewer on one line')),
    alarm: Type.Optional(Type.Boolean({ description: 'True: a device with this value needs attention.' })),
  },
  { title: 'ValueMeaning', description: 'What one value of a data point means.', additionalProperties: false },
)

export const DictionaryEntry = Type.Object(
  {
    key: DataPoint,
    type: Type.Enum(['number', 'boolean', 'text'], { description: 'What its values are.' }),
    label: Type.Optional(text(100, 'the name for people, in 100 characters or fewer on one line')),
    description: Type.Optional(text(500, 'what it is about, in 500 characters or fewer on one line')),
    unit: Type.Optional(text(20, 'the unit of a number such as °C, in 20 characters or fewer')),
    decimals: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 10, description: 'Digits behind the decimal point of a number.' }),
    ),
    min: Type.Optional(Type.Number({ description: 'The smallest number that is in range.' })),
    max: Type.Optional(Type.Number({ description: 'The largest number that is in range.' })),
    values: Type.Optional(
      Type.Array(Meaning, { maxItems: dictionaryLimits.values, description: 'What single values mean.' }),
    ),
    chart: Type.Optional(Type.Boolean({ description: 'True: the chart of a device opens with it.' })),
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
