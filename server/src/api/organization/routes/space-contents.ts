import { Type } from 'typebox'
import { countInSpaces } from '../../../devices/registry/device-counts.ts'
import { DeviceCounts, range, readRange } from '../../../devices/registry/responses.ts'
import { listDataPoints, readAggregate } from '../../../devices/telemetry/space-series.ts'
import { getSpaceTree, listChildTrees } from '../../../directory/organization/spaces.ts'
import type { App } from '../../../platform/http/app.ts'
import { IdPath, Instant, refusals } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { reading } from '../../shared/reads.ts'
import { paged, tagged } from '../../shared/route-schemas.ts'
import { ownerOf } from '../authenticate-organization.ts'
import { Above, Space } from './space-routes.ts'

const route = tagged('Organization: spaces')

const SpaceSummary = Type.Object(
  {
    ...Space.properties,
    above: Above,
    spaces_below: Type.Integer({ description: 'The number of spaces below it, at any depth.' }),
    synced_below: Type.Boolean({ description: 'Whether a space below it is synced: it cannot be moved then.' }),
    devices: DeviceCounts,
    devices_directly: DeviceCounts,
  },
  { title: 'SpaceSummary', description: 'A space with what is in it and below it.' },
)
const ChildSpace = Type.Object(
  {
    ...Space.properties,
    spaces_below: SpaceSummary.properties.spaces_below,
    devices: DeviceCounts,
  },
  { title: 'ChildSpace', description: 'A space inside another, with what is in it and below it.' },
)
const SpaceDataPoint = Type.Object(
  {
    key: Type.String({ description: 'The name of the data point.' }),
    type: Type.Enum(['number', 'boolean'], { description: 'What its values are; `number` where devices differ.' }),
    model_id: Type.String({ format: 'uuid', description: 'The model that most of these devices have.' }),
    devices: Type.Integer({ description: 'Devices that have sent it.' }),
  },
  { title: 'SpaceDataPoint', description: 'A number or boolean that devices in a space send.' },
)
const SpaceDataPoints = Type.Object(
  { items: Type.Array(SpaceDataPoint), next: Type.Null() },
  { title: 'SpaceDataPointList', description: 'The 100 most common data points; there is one page.' },
)
/** One data point over many devices. */
const Aggregate = Type.Object(
  {
    from: Instant,
    to: Instant,
    bucket_seconds: Type.Integer(),
    devices: Type.Integer({ description: 'Devices that have sent the data point; 5,000 of them are read at most.' }),
    complete: Type.Boolean({ description: 'False: more than 5,000 devices have sent it.' }),
    series: Type.Array(
      Type.Object(
        {
          at: Instant,
          min: Type.Number(),
          max: Type.Number(),
          avg: Type.Number(),
          sum: Type.Number({ description: 'The values of all devices together.' }),
          count: Type.Integer({ description: 'Devices that sent a value in this interval.' }),
        },
        {
          title: 'AggregateBucket',
          description: 'The last values of the devices in one interval, put together.',
        },
      ),
      { description: 'Oldest first. An interval without a value is left out.' },
    ),
  },
  { title: 'Aggregate', description: 'One data point over many devices, reduced to fit a chart.' },
)
const AggregateQuery = Type.Object({
  key: Type.String({ minLength: 1, maxLength: 128, description: 'The name of the data point.' }),
  ...range,
  buckets: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200,
      default: 96,
      description: 'Intervals that the range is cut into. With many devices there are fewer, down to 20.',
    }),
  ),
})

const slowReadRefusals = refusals({ 422: ['read_too_large'], 429: ['too_many_reads'] })

/** What is in a space and below it. */
export function spaceContentRoutes(app: App, context: Context): void {
  app.get(
    '/spaces/:id/summary',
    route({
      permission: 'devices: read',
      reads: 'growing',
      summary: 'Get a space with what is below it',
      description:
        'The spaces above it, and how many spaces and devices are in it and below it; `devices_directly` are in the space itself.',
      params: IdPath,
      response: { 200: SpaceSummary, ...slowReadRefusals },
    }),
    async (request) => {
      const owner = ownerOf(request)
      const { customer_id } = owner
      const gated = reading(context, owner, request)
      const { space, above, within, synced_below } = await getSpaceTree(gated, owner, request.params.id)
      const counts = await countInSpaces(gated, customer_id, [within, [space.id]], request.signal)
      const spaces_below = within.length - 1
      return { ...space, above, spaces_below, synced_below, devices: counts[0]!, devices_directly: counts[1]! }
    },
  )

  app.get(
    '/spaces/:id/children',
    route({
      permission: 'spaces: read',
      reads: 'growing',
      summary: 'List the spaces inside a space with what is below them',
      description: 'Its direct children, each with the devices in it and below it.',
      params: IdPath,
      ...paged(ChildSpace, {}, { 422: ['read_too_large'], 429: ['too_many_reads'] }),
    }),
    async (request) => {
      const owner = ownerOf(request)
      const gated = reading(context, owner, request)
      const { items, next } = await listChildTrees(gated, owner, request.params.id, request.query)
      const lists = items.map(({ within }) => within)
      const counts = await countInSpaces(gated, owner.customer_id, lists, request.signal)
      return {
        items: items.map(({ within, ...space }, index) => ({
          ...space,
          spaces_below: within.length - 1,
          devices: counts[index]!,
        })),
        next,
      }
    },
  )

  app.get(
    '/spaces/:id/data-points',
    route({
      permission: 'devices: read',
      reads: 'growing',
      summary: 'List the data points of the devices in a space',
      description:
        'Numbers and booleans of the devices in it and below it; the states of 5,000 devices are read at most.',
      params: IdPath,
      response: { 200: SpaceDataPoints, ...slowReadRefusals },
    }),
    async (request) => {
      const owner = ownerOf(request)
      const gated = reading(context, owner, request)
      const { within } = await getSpaceTree(gated, owner, request.params.id)
      return listDataPoints(gated, owner.customer_id, within, request.signal)
    },
  )

  app.get(
    '/spaces/:id/series',
    route({
      permission: 'devices: read',
      reads: 'growing',
      summary: 'Read a data point over all devices in a space, reduced to fit a chart',
      description:
        'In each interval, the last value of each device in the space and below it: the smallest, the largest, their ' +
        'average and their sum. Booleans count as 0 and 1; texts are left out.',
      params: IdPath,
      querystring: AggregateQuery,
      response: { 200: Aggregate, ...slowReadRefusals },
    }),
    async (request) => {
      const owner = ownerOf(request)
      const gated = reading(context, owner, request)
      const { within } = await getSpaceTree(gated, owner, request.params.id)
      const { key, buckets } = request.query
      const query = { key, intervals: buckets, ...readRange(request.query) }
      return readAggregate(gated, owner.customer_id, within, query, request.signal)
    },
  )
}
