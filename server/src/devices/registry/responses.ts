import { Type } from 'typebox'
import { PageQuery } from '../../platform/http/pagination.ts'
import { Dictionary, Id, Instant, Nullable } from '../../platform/http/schemas.ts'
import { listLimits } from '../../platform/own-limits.ts'
import type { EffectiveStatus } from '../store/devices-sql.ts'
import { reasons } from './device-details.ts'

/** Devices, their state and their history in responses of the organization API and the partner API. */

const statuses = ['never_seen', 'online', 'offline', 'error'] as const

export const Status = Type.Enum([...statuses], {
  title: 'DeviceStatus',
  description: '`offline`: nothing came for as long as its model allows, or the device said so.',
})

export const Value = Type.Unsafe<unknown>({ type: ['number', 'string', 'boolean'] })

const someStatuses = {
  maxLength: 64,
  pattern: `^(?:${statuses.join('|')})(?:,(?:${statuses.join('|')}))*$`,
}

/** As a saved view has them. */
export const StatusList = Type.String({
  ...someStatuses,
  description: `In any of these statuses, with commas between them: ${statuses.join(', ')}.`,
})

/** `?status=error,offline`, or `?status=error&status=offline`. */
export const Statuses = Type.Unsafe<string | string[]>({
  ...someStatuses,
  type: ['string', 'array'],
  minItems: 1,
  maxItems: 4,
  items: { type: 'string', ...someStatuses },
  description: `one or more of ${statuses.join(', ')}, with commas between them; or the parameter repeated for each`,
})

/** The statuses that were asked for, each once. */
export function readStatuses(status: string | string[] | undefined): EffectiveStatus[] | undefined {
  return status === undefined ? undefined : ([...new Set([status].flat().join().split(','))] as EffectiveStatus[])
}

const Alarm = Type.Object(
  {
    key: Type.String({ description: 'The name of the data point.' }),
    value: Value,
    since: Type.Union([Instant, Type.Null()], {
      description: 'The message with which the alarm began; null where none was recorded since the dictionary changed.',
    }),
  },
  { title: 'AlarmValue', description: 'A value that the data dictionary of the model calls an alarm.' },
)

/** The fields that customers and partners both see; each API adds its own. */
export const DeviceFacts = {
  id: Id,
  model_id: Id,
  mac: Type.String(),
  sn: Type.String(),
  firmware_version: Type.String(),
  status: Status,
  status_at: Instant,
  reason: Type.Union(
    [
      Type.Enum([...reasons], {
        title: 'DeviceReason',
        description:
          'Why a device needs attention. `no_telemetry`: nothing came for as long as its model allows. ' +
          '`reported_error`, `reported_offline`: the device said so. `alarm`: it is online, and a value is an alarm.',
      }),
      Type.Null(),
    ],
    { description: 'Why the device needs attention; null while it is well.' },
  ),
  alarm: Type.Union([Alarm, Type.Null()], { description: 'The alarm of a device that is online or reports an error.' }),
  last_seen_at: Nullable(Instant),
  registered_at: Instant,
  claimed_at: Nullable(Instant),
  replace_until: Nullable(Instant),
}

const Count = Type.Integer({
  maximum: listLimits.countedDevices,
  description: `Counted up to ${listLimits.countedDevices}.`,
})
export const DeviceCounts = Type.Object(
  { never_seen: Count, online: Count, offline: Count, error: Count },
  { title: 'DeviceCounts', description: 'The number of devices in each status.' },
)

export const State = Dictionary(
  Type.Object(
    { value: Value, at: Instant },
    { title: 'DataPointValue', description: 'The latest value of a data point.' },
  ),
  {
    description: 'The latest value of every data point, with its instant.',
  },
)

export const HistoryItem = Type.Object(
  {
    message_id: Nullable(Type.String()),
    timestamp: Instant,
    received_at: Instant,
    status: Type.String(),
    telemetries: Dictionary(Type.Unsafe<unknown>({ type: ['number', 'string', 'boolean', 'null'] }), {
      description: 'Null for a data point that the message removed.',
    }),
    override: Type.Optional(Type.Literal(true, { description: 'The message replaced the whole state.' })),
  },
  { title: 'HistoryMessage', description: 'A message of a device, as it was stored.' },
)

/** `?from=&to=` of a chart. */
export const range = {
  from: Type.Optional(Type.String({ format: 'date-time', description: 'By default a day before `to`.' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'By default now.' })),
}
/** `?keys=temperature,humidity`, or `?keys=temperature&keys=a,b` for names that contain a comma. */
function DataPoints(max: number) {
  return Type.Unsafe<string | string[]>({
    type: ['string', 'array'],
    minLength: 1,
    maxLength: max * 129 - 1,
    pattern: `^[^,]*(?:,[^,]*){0,${max - 1}}$`,
    minItems: 1,
    maxItems: max,
    items: { type: 'string', maxLength: 128 },
    description: `at most ${max} names of data points, with commas between them; or the parameter repeated for each`,
  })
}

export const HistoryQuery = Type.Object({
  ...PageQuery,
  ...range,
  keys: Type.Optional(DataPoints(100)),
  order: Type.Optional(
    Type.Enum(['oldest_first', 'newest_first'], { default: 'oldest_first', description: 'By `timestamp`.' }),
  ),
})

export const SeriesQuery = Type.Object({
  ...range,
  keys: DataPoints(20),
  buckets: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2_000,
      default: 300,
      description: 'Intervals that the range is cut into.',
    }),
  ),
})

export const Series = Type.Object(
  {
    from: Instant,
    to: Instant,
    bucket_seconds: Type.Integer(),
    series: Dictionary(
      Type.Array(
        Type.Object(
          { at: Instant, min: Type.Number(), max: Type.Number(), avg: Type.Number(), count: Type.Integer() },
          { title: 'SeriesBucket', description: 'The values of one interval.' },
        ),
      ),
    ),
  },
  { title: 'Series', description: 'Numbers of data points, reduced to fit a chart.' },
)

export const TimelinesQuery = Type.Object({
  ...range,
  keys: DataPoints(20),
  buckets: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, default: 300, description: 'The most periods of a data point.' }),
  ),
})

export const Timelines = Type.Object(
  {
    from: Instant,
    to: Instant,
    timelines: Dictionary(
      Type.Array(
        Type.Object(
          {
            from: Instant,
            to: Instant,
            value: Type.Unsafe<number | string | boolean | null>({
              type: ['number', 'string', 'boolean', 'null'],
              description: 'Null where several values were too close together.',
            }),
            changes: Type.Integer(),
          },
          { title: 'TimelinePeriod', description: 'A period in which a data point had one value.' },
        ),
      ),
    ),
  },
  { title: 'Timelines', description: 'Values of data points as periods.' },
)

export const StatusHistoryQuery = { ...PageQuery, ...range }

export const StatusPeriod = Type.Object(
  { status: Status, from: Instant, to: Nullable(Instant) },
  { title: 'StatusPeriod', description: 'A period in which a device had one status, cut to the range.' },
)

export const UptimeQuery = Type.Object(range)

const Seconds = Type.Number({ minimum: 0, description: 'Seconds in this status.' })

export const Uptime = Type.Object(
  {
    from: Instant,
    to: Instant,
    uptime: Nullable(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'Share of the time since its first message in which it was `online` or `error`.',
      }),
    ),
    seconds: Type.Object(
      { never_seen: Seconds, online: Seconds, offline: Seconds, error: Seconds },
      { title: 'SecondsByStatus', description: 'How long a device had each status.' },
    ),
  },
  { title: 'Uptime', description: 'How much of a range a device could be reached.' },
)

export interface RangeParameters {
  from?: string
  to?: string
  keys?: string | string[]
}

/** The parameters as the verbs expect them. */
export function readRange({ from, to, keys }: RangeParameters): { from?: Date; to?: Date; keys?: string[] } {
  return {
    ...(from === undefined ? {} : { from: new Date(from) }),
    ...(to === undefined ? {} : { to: new Date(to) }),
    ...(keys === undefined ? {} : { keys: [...new Set(readNames(keys))] }),
  }
}

function readNames(keys: string | string[]): string[] {
  return (typeof keys === 'string' ? keys.split(',') : keys).filter(Boolean)
}
