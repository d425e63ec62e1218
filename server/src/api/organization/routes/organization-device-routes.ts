import { Type } from 'typebox'
import { listAttention } from '../../../devices/registry/attention.ts'
import { claimDevice } from '../../../devices/registry/claim.ts'
import { readTrend } from '../../../devices/registry/device-counts.ts'
import {
  countDevicesByStatus,
  countMatching,
  type DeviceCriteria,
  listDevices,
  sorts,
} from '../../../devices/registry/device-lists.ts'
import { toTag } from '../../../devices/registry/device-notes.ts'
import { type CustomerOwner, changeable, changeDevice, getDevice } from '../../../devices/registry/devices.ts'
import { getClaimableModel, listClaimableModels } from '../../../devices/registry/models.ts'
import { DeviceCounts, DeviceFacts, readStatuses, State, Statuses } from '../../../devices/registry/responses.ts'
import { settingStates } from '../../../devices/settings/setting-states.ts'
import { Mac, SerialNumber } from '../../../devices/telemetry/telemetry-schemas.ts'
import { spacesWithin } from '../../../directory/organization/spaces.ts'
import type { App } from '../../../platform/http/app.ts'
import { limitAddress } from '../../../platform/http/client-address.ts'
import { etagOf } from '../../../platform/http/etag.ts'
import { Id, IdPath, Instant, Line, Lines, Name, Nullable, refusals } from '../../../platform/http/schemas.ts'
import { partLimits } from '../../../platform/own-limits.ts'
import type { Context } from '../../context.ts'
import { reading } from '../../shared/reads.ts'
import { guardedChange, NameSearch, paged, tagged } from '../../shared/route-schemas.ts'
import { DeviceTotal, sortBy } from '../../shared/shared-device-routes.ts'
import { callerOf, ownerOf } from '../authenticate-organization.ts'

const route = tagged('Organization: devices')

/** No comma: people write several tags with commas between them. */
export const Tag = Line(40, { pattern: '^[^,]*$', description: 'a tag of 40 characters or fewer, without a comma' })
const Note = Lines(2_000, { description: 'What your organization notes about the device.' })

const Device = Type.Object(
  {
    ...DeviceFacts,
    name: Nullable(Type.String()),
    space_id: Nullable(Id),
    space_path: Type.Array(Type.String(), { description: 'The names of its space and those above it, from the top.' }),
    tags: Type.Array(Type.String()),
  },
  { title: 'Device', description: 'A device of this organization.' },
)
const DeviceWithNote = Type.Object(
  {
    ...Device.properties,
    note: Nullable(Type.String({ description: 'What your organization notes about the device.' })),
  },
  { title: 'DeviceWithNote', description: 'A device of this organization, with its note.' },
)
const DeviceWithState = Type.Object(
  { ...DeviceWithNote.properties, state: State },
  { title: 'DeviceWithState', description: 'A device of this organization, with its note and its state.' },
)

export const DeviceFilters = {
  space_id: Type.Optional(Type.String({ format: 'uuid', description: 'In this space or any below it.' })),
  no_space: Type.Optional(Type.Boolean({ description: '`true`: in no space.' })),
  model_id: Type.Optional(Id),
  status: Type.Optional(Statuses),
  tag: Type.Optional(Type.String({ maxLength: 40, description: 'With this tag.' })),
  settings: Type.Optional(
    Type.Enum([...settingStates, 'differs'], {
      title: 'SettingsFilter',
      description:
        'The worst state of its desired settings, or `differs`: they differ from the templates for its model and space.',
    }),
  ),
  search: Type.Optional(
    Type.String({
      maxLength: 128,
      description:
        'Part of a name, a MAC or a serial number. One or two characters match the beginning of a word only.',
    }),
  ),
}

export const Sort = Type.Optional(sortBy(sorts, 'By default `registered_at`.'))

interface FilterQuery {
  space_id?: string
  tag?: string
  no_space?: boolean
  status?: string | string[]
}

/** The filters of a request as the verbs expect them. */
export async function readFilters<Query extends FilterQuery>(
  context: Context,
  { customer_id }: CustomerOwner,
  { space_id, tag, no_space, status, ...query }: Query,
): Promise<Omit<Query, keyof FilterQuery> & DeviceCriteria> {
  return {
    ...query,
    space_ids: space_id === undefined ? undefined : await spacesWithin(context, customer_id, [space_id]),
    tag: tag === undefined ? undefined : toTag(tag),
    no_space: no_space || undefined,
    statuses: readStatuses(status),
  }
}

export const Claim = Type.Object(
  {
    mac: Mac,
    sn: SerialNumber,
    model_id: Type.String({ maxLength: 64 }),
    name: Type.Optional(Nullable(Name)),
    space_id: Type.Optional(Nullable(Type.String({ maxLength: 64 }))),
  },
  {
    title: 'DeviceClaim',
    description: 'What proves that the device is at hand, and where it belongs.',
    additionalProperties: false,
  },
)

const DeviceChange = Type.Object(
  {
    name: Type.Optional(Nullable(Name)),
    space_id: Type.Optional(Nullable(Id)),
    tags: Type.Optional(
      Type.Array(Tag, { maxItems: partLimits.tagsPerDevice, description: 'All tags it then has, in lower case.' }),
    ),
    note: Type.Optional(Nullable(Note)),
  },
  {
    title: 'DeviceChange',
    description: 'What to change about a device; what is absent stays.',
    additionalProperties: false,
    minProperties: 1,
  },
)

const Attention = Type.Object(
  { items: Type.Array(Device), next: Type.Null() },
  { title: 'AttentionList', description: 'The first devices to look at; there is one page.' },
)

const TrendPoint = Type.Object(
  { at: Instant, ...DeviceCounts.properties },
  { title: 'DeviceTrendPoint', description: 'The number of devices in each status at an instant.' },
)
const Trend = Type.Object(
  { items: Type.Array(TrendPoint), next: Type.Null() },
  { title: 'DeviceTrend', description: 'The counts of the last day, oldest first; there is one page.' },
)

const ClaimableModel = Type.Object(
  { id: Id, name: Type.String(), partner_name: Type.String() },
  { title: 'ClaimableModel', description: 'A model whose devices can be claimed.' },
)

export function deviceRoutes(app: App, context: Context): void {
  app.get(
    '/devices',
    route({
      permission: 'devices: read',
      reads: 'growing',
      summary: 'List the devices of this organization',
      description:
        'With filters, a page may be short and still have a `next`: continue from there. To sort by `last_seen_at` or ' +
        '`status_at`, or to sort what a search found, 10,000 devices may match at most.',
      ...paged(Device, { ...DeviceFilters, sort: Sort }, { 422: ['too_many_to_sort'] }),
    }),
    async (request) => {
      const owner = ownerOf(request)
      const gated = reading(context, owner, request)
      return listDevices(gated, owner, await readFilters(gated, owner, request.query))
    },
  )

  app.get(
    '/devices/total',
    route({
      permission: 'devices: read',
      reads: 'growing',
      summary: 'Count the devices that match',
      description: 'With the filters of the list. Counting stops early where many match.',
      querystring: Type.Object(DeviceFilters),
      response: { 200: DeviceTotal },
    }),
    async (request) => {
      const owner = ownerOf(request)
      const gated = reading(context, owner, request)
      return countMatching(gated, owner, await readFilters(gated, owner, request.query))
    },
  )

  app.post(
    '/devices/claim',
    route({
      permission: 'devices: manage',
      creates: { unlimited: 'a claimed device exists already' },
      summary: 'Claim a device by its MAC, serial number and model',
      description: 'Every failure is the same `claim_failed`: unknown, already claimed, removed, no such space.',
      body: Claim,
      response: { 201: Device, ...refusals({ 422: ['claim_failed'], 429: ['too_many_attempts'] }) },
    }),
    async (request, reply) => {
      const { actor } = callerOf(request)
      const device = await claimDevice(context, actor, ownerOf(request), limitAddress(request.ip), request.body)
      return reply.code(201).send(device)
    },
  )

  app.get(
    '/devices/:id',
    route({
      permission: 'devices: read',
      reads: 'bounded',
      summary: 'Get a device with its state',
      description: 'The latest value of every data point, each with its instant.',
      params: IdPath,
      response: { 200: DeviceWithState },
    }),
    async (request, reply) => {
      const device = await getDevice(context, ownerOf(request), request.params.id)
      return reply.header('etag', etagOf(changeable(device))).send(device)
    },
  )

  app.patch(
    '/devices/:id',
    route({
      permission: 'devices: manage',
      summary: 'Change the name, the space, the tags or the note of a device',
      description: 'Null takes the name, the space or the note away. All of them are yours: the partner sees none.',
      params: IdPath,
      body: DeviceChange,
      ...guardedChange(DeviceWithNote),
    }),
    async (request, reply) => {
      const { actor } = callerOf(request)
      const ifMatch = request.headers['if-match']
      const device = await changeDevice(context, actor, ownerOf(request), request.params.id, request.body, ifMatch)
      return reply.header('etag', etagOf(changeable(device))).send(device)
    },
  )
}

export function deviceCountRoutes(app: App, context: Context): void {
  app.get(
    '/devices/counts',
    route({
      permission: 'devices: read',
      reads: 'growing',
      summary: 'Count the devices per status',
      description: 'Of all devices of this organization that the caller may see.',
      response: { 200: DeviceCounts },
    }),
    async (request) => {
      const owner = ownerOf(request)
      return countDevicesByStatus(reading(context, owner, request), owner)
    },
  )

  app.get(
    '/devices/trend',
    route({
      permission: 'devices: read',
      reads: 'bounded',
      summary: 'Count the devices per status over the last day',
      description:
        'Counted every quarter of an hour, for all devices of this organization; empty for a caller who sees some spaces only.',
      response: { 200: Trend },
    }),
    async (request) => readTrend(context, ownerOf(request)),
  )

  app.get(
    '/devices/attention',
    route({
      permission: 'devices: read',
      reads: 'growing',
      summary: 'List the devices that need attention',
      description:
        'Those that are online with an alarm, then those with an error, those that are offline and those that were never seen; of each the ' +
        'latest change first. Alarms are looked for in 10,000 devices of each model.',
      querystring: Type.Object({
        limit: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 100, default: 10, description: 'Devices of each reason.' }),
        ),
        space_id: DeviceFilters.space_id,
      }),
      response: { 200: Attention, ...refusals({ 422: ['read_too_large'], 429: ['too_many_reads'] }) },
    }),
    async (request) => {
      const owner = ownerOf(request)
      const gated = reading(context, owner, request)
      const { limit, ...filter } = request.query
      const { space_ids } = await readFilters(gated, owner, filter)
      return listAttention(gated, owner, { space_ids, limit }, request.signal)
    },
  )
}

export function claimableModelRoutes(app: App, context: Context): void {
  app.get(
    '/models',
    route({
      permission: 'devices: read',
      reads: 'bounded',
      summary: 'List the models whose devices can be claimed',
      description: 'Of all partners: an organization may claim devices of any of them.',
      ...paged(ClaimableModel, NameSearch),
    }),
    async (request) => listClaimableModels(context, request.query),
  )

  app.get(
    '/models/:id',
    route({
      permission: 'devices: read',
      reads: 'bounded',
      summary: 'Get a model whose devices can be claimed',
      description: 'Of any partner.',
      params: IdPath,
      response: { 200: ClaimableModel },
    }),
    async (request) => getClaimableModel(context, request.params.id),
  )
}
