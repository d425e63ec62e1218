import { Type } from 'typebox'
import { listTags } from '../../../devices/registry/device-notes.ts'
import { changeView, createView, deleteView, getView, listViews } from '../../../devices/registry/device-views.ts'
import { StatusList } from '../../../devices/registry/responses.ts'
import type { App } from '../../../platform/http/app.ts'
import { Empty, Id, IdPath, Instant, Name, refusals } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { reading } from '../../shared/reads.ts'
import { guardedChange, paged, tagged } from '../../shared/route-schemas.ts'
import { ownerOf, wholeCustomer } from '../authenticate-organization.ts'
import { DeviceFilters, Sort } from './organization-device-routes.ts'

const route = tagged('Organization: devices')

const columns = [
  'status',
  'since',
  'reason',
  'last_seen_at',
  'model',
  'space',
  'tags',
  'mac',
  'sn',
  'firmware_version',
  'registered_at',
] as const

const Column = Type.Enum([...columns], {
  title: 'DeviceColumn',
  description: 'A column of the device list.',
})

const ViewQuery = Type.Object(
  {
    ...DeviceFilters,
    status: Type.Optional(StatusList),
    sort: Sort,
    columns: Type.Optional(
      Type.Array(Column, {
        maxItems: columns.length,
        uniqueItems: true,
        description: 'The columns beside the name, in order.',
      }),
    ),
  },
  {
    title: 'DeviceViewQuery',
    description: 'Filters, order and columns of a device list.',
    additionalProperties: false,
  },
)
const View = Type.Object(
  { id: Id, name: Type.String(), query: ViewQuery, created_at: Instant },
  {
    title: 'DeviceView',
    description: 'A saved view of the device list, for everyone who administers the organization.',
  },
)
const NewView = Type.Object(
  { name: Name, query: ViewQuery },
  { title: 'NewDeviceView', description: 'A view to save.', additionalProperties: false },
)
const ViewChange = Type.Partial(NewView, {
  title: 'DeviceViewChange',
  description: 'What to change about a view; what is absent stays.',
  additionalProperties: false,
  minProperties: 1,
})
const TagInUse = Type.Object(
  { tag: Type.String() },
  { title: 'DeviceTag', description: 'A tag that at least one device has.' },
)

export function deviceViewRoutes(app: App, context: Context): void {
  app.get(
    '/device-tags',
    route({
      permission: 'devices: read',
      reads: 'growing',
      summary: 'List the tags of this organization’s devices',
      description: 'In order. Only you see them: the partner does not.',
      ...paged(TagInUse),
    }),
    async (request) => {
      const owner = ownerOf(request)
      return listTags(reading(context, owner, request), owner, request.query)
    },
  )

  app.get(
    '/device-views',
    route({
      permission: 'devices: read',
      reads: 'bounded',
      summary: 'List the saved views of the device list',
      description:
        'Shared by everyone in the organization. A view of a space that the caller does not see is left out.',
      ...paged(View),
    }),
    async (request) => listViews(context, ownerOf(request), request.query),
  )

  app.post(
    '/device-views',
    route({
      permission: 'devices: manage',
      creates: 'views',
      summary: 'Save a view of the device list',
      description: 'Under a name that no other view has.',
      body: NewView,
      response: { 201: View, ...refusals({ 409: ['name_taken'] }) },
    }),
    async (request, reply) => {
      return reply.code(201).send(await createView(context, wholeCustomer(request), request.body))
    },
  )

  app.get(
    '/device-views/:id',
    route({
      permission: 'devices: read',
      reads: 'bounded',
      summary: 'Get a saved view',
      description: 'With its filters, order and columns.',
      params: IdPath,
      response: { 200: View },
    }),
    async (request) => getView(context, ownerOf(request), request.params.id),
  )

  app.patch(
    '/device-views/:id',
    route({
      permission: 'devices: manage',
      summary: 'Rename or replace a saved view',
      description: 'A new query replaces the whole former one.',
      params: IdPath,
      body: ViewChange,
      ...guardedChange(View, { 409: ['name_taken'] }),
    }),
    async (request) => {
      const of = { id: request.params.id, ifMatch: request.headers['if-match'] }
      return changeView(context, wholeCustomer(request), of, request.body)
    },
  )

  app.delete(
    '/device-views/:id',
    route({
      permission: 'devices: manage',
      summary: 'Delete a saved view',
      description: 'The devices stay.',
      params: IdPath,
      response: { 204: Empty },
    }),
    async (request, reply) => {
      await deleteView(context, wholeCustomer(request), request.params.id)
      return reply.code(204).send()
    },
  )
}
