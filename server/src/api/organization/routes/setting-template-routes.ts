import { Type } from 'typebox'
import { SettingValue } from '../../../devices/settings/config-schemas.ts'
import {
  applyTemplate,
  changeTemplate,
  createTemplate,
  deleteTemplate,
  getTemplate,
  listTemplates,
} from '../../../devices/settings/setting-templates.ts'
import { DataPoint } from '../../../devices/telemetry/telemetry-schemas.ts'
import type { App } from '../../../platform/http/app.ts'
import { Dictionary, Empty, Id, IdPath, Instant, Nullable, refusals } from '../../../platform/http/schemas.ts'
import { listLimits, settingLimits } from '../../../platform/own-limits.ts'
import type { Context } from '../../context.ts'
import { guardedChange, paged, tagged } from '../../shared/route-schemas.ts'
import { callerOf, ownerOf } from '../authenticate-organization.ts'
import { Chosen } from './device-change-routes.ts'
import { SettingsResults, toResults } from './device-setting-routes.ts'

const route = tagged('Organization: settings')

const Values = Dictionary(SettingValue, {
  maxProperties: settingLimits.keys,
  propertyNames: DataPoint,
  description: 'What the devices should have, by data point.',
})
const Place = Nullable({ ...Id, description: 'It counts in this space and everywhere below it; null: everywhere.' })

const Template = Type.Object(
  {
    id: Id,
    model_id: Id,
    model_name: Type.String({ description: 'The name of the model.' }),
    space_id: Place,
    space_path: Type.Array(Type.String(), { description: 'The names of its space and those above it, from the top.' }),
    values: Values,
    created_at: Instant,
    changed_at: { ...Instant, description: 'When it last changed.' },
  },
  {
    title: 'SettingTemplate',
    description:
      'What all devices of a model should have in a space and below it. The nearest space counts, key by key.',
  },
)
const NewTemplate = Type.Object(
  { model_id: Id, space_id: Type.Optional(Place), values: Values },
  { title: 'NewSettingTemplate', description: 'A template to create.', additionalProperties: false },
)
const TemplateChange = Type.Object(
  { space_id: Type.Optional(Place), values: Type.Optional(Values) },
  {
    title: 'SettingTemplateChange',
    description: 'What to change about a template; new values replace all former ones.',
    additionalProperties: false,
    minProperties: 1,
  },
)
export function settingTemplateRoutes(app: App, context: Context): void {
  app.get(
    '/setting-templates',
    route({
      permission: 'devices: read',
      reads: 'bounded',
      summary: 'List the templates of settings',
      description: 'Those that count everywhere, and those of spaces that the caller sees.',
      ...paged(Template, { model_id: Type.Optional(Id), space_id: Type.Optional(Id) }),
    }),
    async (request) => listTemplates(context, ownerOf(request), request.query),
  )

  app.post(
    '/setting-templates',
    route({
      permission: 'devices: command',
      creates: 'setting_templates',
      summary: 'Create a template of settings',
      description:
        'One per model and space. It changes no device: those that differ from it can be listed, and be given it.',
      body: NewTemplate,
      response: { 201: Template, ...refusals({ 404: ['not_found'], 409: ['template_exists'] }) },
    }),
    async (request, reply) => {
      const { actor } = callerOf(request)
      const { space_id = null, ...input } = request.body
      return reply.code(201).send(await createTemplate(context, actor, ownerOf(request), { ...input, space_id }))
    },
  )

  app.get(
    '/setting-templates/:id',
    route({
      permission: 'devices: read',
      reads: 'bounded',
      summary: 'Get a template of settings',
      description: 'With the names of its model and space.',
      params: IdPath,
      response: { 200: Template },
    }),
    async (request) => getTemplate(context, ownerOf(request), request.params.id),
  )

  app.patch(
    '/setting-templates/:id',
    route({
      permission: 'devices: command',
      summary: 'Change a template of settings',
      description: 'Devices keep what they were given.',
      params: IdPath,
      body: TemplateChange,
      ...guardedChange(Template, { 409: ['template_exists'] }),
    }),
    async (request) => {
      const { actor } = callerOf(request)
      const of = { id: request.params.id, ifMatch: request.headers['if-match'] }
      return changeTemplate(context, actor, ownerOf(request), of, request.body)
    },
  )

  app.delete(
    '/setting-templates/:id',
    route({
      permission: 'devices: command',
      summary: 'Delete a template of settings',
      description: 'Devices keep what they were given.',
      params: IdPath,
      response: { 204: Empty },
    }),
    async (request, reply) => {
      const { actor } = callerOf(request)
      await deleteTemplate(context, actor, ownerOf(request), request.params.id)
      return reply.code(204).send()
    },
  )

  app.post(
    '/setting-templates/:id/apply',
    route({
      permission: 'devices: command',
      creates: { unlimited: 'changes devices that exist' },
      summary: 'Apply a template to devices',
      description: `Up to ${listLimits.changedDevices.toLocaleString('en')} devices, with one result each. Settings that a template of a nearer space decides about stay. \`not_covered\`: the device is of another model, or outside the space of the template.`,
      params: IdPath,
      body: Chosen,
      response: { 200: SettingsResults },
    }),
    async (request) => {
      const { actor } = callerOf(request)
      const { device_ids } = request.body
      return toResults(await applyTemplate(context, actor, ownerOf(request), request.params.id, device_ids))
    },
  )
}
