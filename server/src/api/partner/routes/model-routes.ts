import { Type } from 'typebox'
import { addHardwareKey, listHardwareKeys, revokeHardwareKey } from '../../../devices/registry/hardware-keys.ts'
import {
  authenticationMethod,
  changeModel,
  createModel,
  getModel,
  listModels,
} from '../../../devices/registry/models.ts'
import type { App } from '../../../platform/http/app.ts'
import { Empty, Id, IdPath, Instant, Name, Nullable } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { guardedChange, NameSearch, paged, tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate-partner.ts'

const route = tagged('Partner: models')

const Threshold = Type.Integer({
  minimum: 10,
  maximum: 604_800,
  description: 'Seconds without a message after which a device counts as offline. 120 unless set.',
})

const Model = Type.Object(
  {
    id: Id,
    name: Type.String(),
    authentication_method: Type.Literal(authenticationMethod),
    offline_after_seconds: Threshold,
    created_at: Instant,
  },
  { title: 'Model', description: 'A device model of a partner.' },
)
const NewModel = Type.Object(
  {
    name: Name,
    authentication_method: Type.Literal(authenticationMethod),
    offline_after_seconds: Type.Optional(Threshold),
  },
  { title: 'NewModel', description: 'A model to create.', additionalProperties: false },
)
const ModelChange = Type.Object(
  { name: Type.Optional(Name), offline_after_seconds: Type.Optional(Threshold) },
  {
    title: 'ModelChange',
    description: 'What to change about a model; what is absent stays.',
    additionalProperties: false,
    minProperties: 1,
  },
)
const CreatedModel = Type.Object(
  {
    ...Model.properties,
    hardware_key: Type.String({ description: 'The first key of its "Hardware Keys" tab.' }),
  },
  { title: 'CreatedModel', description: 'A new model, with its first hardware key.' },
)

const HardwareKey = Type.Object(
  {
    id: Id,
    hardware_key: Type.String({ description: 'Sent as `hardware_key` at registration.' }),
    uses: Type.Integer({ description: 'Registrations that used it.' }),
    last_used_at: Nullable(Instant),
    created_at: Instant,
    revoked_at: Nullable(Instant),
  },
  { title: 'HardwareKey', description: 'A key that lets devices of a model register.' },
)
const HardwareKeys = Type.Object(
  { items: Type.Array(HardwareKey), next: Type.Null() },
  { title: 'HardwareKeyList', description: 'All hardware keys of the model; there is one page.' },
)
const KeyPath = Type.Object({ id: Id, key_id: Id })

export function modelRoutes(app: App, context: Context): void {
  app.get(
    '/models',
    route({
      reads: 'bounded',
      summary: 'List models',
      description: 'The device models of this partner.',
      ...paged(Model, NameSearch),
    }),
    async (request) => listModels(context, callerOf(request).partner_id, request.query),
  )

  app.post(
    '/models',
    route({
      creates: 'models',
      summary: 'Create a model',
      description: 'It is created with one hardware key.',
      body: NewModel,
      response: { 201: CreatedModel },
    }),
    async (request, reply) => {
      const { actor, partner_id } = callerOf(request)
      return reply.code(201).send(await createModel(context, actor, partner_id, request.body))
    },
  )

  app.get(
    '/models/:id',
    route({
      reads: 'bounded',
      summary: 'Get a model',
      description: 'Its id is the `device_model` of a registration.',
      params: IdPath,
      response: { 200: Model },
    }),
    async (request) => getModel(context, callerOf(request).partner_id, request.params.id),
  )

  app.patch(
    '/models/:id',
    route({
      summary: 'Change a model',
      description: 'A new `offline_after_seconds` is in force at once.',
      params: IdPath,
      body: ModelChange,
      ...guardedChange(Model),
    }),
    async (request) => {
      const { actor, partner_id } = callerOf(request)
      const ifMatch = request.headers['if-match']
      return changeModel(context, actor, partner_id, request.params.id, request.body, ifMatch)
    },
  )

  app.get(
    '/models/:id/hardware-keys',
    route({
      reads: 'bounded',
      summary: "List a model's hardware keys, in order",
      description: 'The first that is not revoked is the one to hand to devices.',
      params: IdPath,
      response: { 200: HardwareKeys },
    }),
    async (request) => {
      const items = await listHardwareKeys(context, callerOf(request).partner_id, request.params.id)
      return { items, next: null }
    },
  )

  app.post(
    '/models/:id/hardware-keys',
    route({
      creates: 'hardware_keys',
      summary: 'Add a hardware key',
      description: 'For a new production batch, or before an old key is revoked.',
      params: IdPath,
      response: { 201: HardwareKey },
    }),
    async (request, reply) => {
      const { actor, partner_id } = callerOf(request)
      return reply.code(201).send(await addHardwareKey(context, actor, partner_id, request.params.id))
    },
  )

  app.delete(
    '/models/:id/hardware-keys/:key_id',
    route({
      summary: 'Revoke a hardware key',
      description: 'Registered devices keep working. New registrations with this key are refused.',
      params: KeyPath,
      response: { 204: Empty },
    }),
    async (request, reply) => {
      const { actor, partner_id } = callerOf(request)
      const { id, key_id } = request.params
      await revokeHardwareKey(context, actor, partner_id, id, key_id)
      return reply.code(204).send()
    },
  )
}
