import { Type } from 'typebox'
import { DeviceConfig, SettingValue, Version } from '../../../devices/settings/config-schemas.ts'
import { changeSettings, changeSettingsOfMany, getSettings } from '../../../devices/settings/device-settings.ts'
import { settingStates } from '../../../devices/settings/setting-states.ts'
import type { SettingsOutcome } from '../../../devices/settings/settings-changes.ts'
import { SettingsChanged } from '../../../devices/settings/settings-refusals.ts'
import { DataPoint } from '../../../devices/telemetry/telemetry-schemas.ts'
import type { App } from '../../../platform/http/app.ts'
import { bodyOf } from '../../../platform/http/refusals.ts'
import { Dictionary, FieldProblem, Id, IdPath, Instant, Nullable } from '../../../platform/http/schemas.ts'
import { listLimits, settingLimits } from '../../../platform/own-limits.ts'
import type { Context } from '../../context.ts'
import { tagged } from '../../shared/route-schemas.ts'
import { callerOf, ownerOf } from '../authenticate-organization.ts'

const route = tagged('Organization: settings')

const State = Type.Enum([...settingStates], {
  title: 'SettingState',
  description:
    '`in_sync`: applied, and as the device reports it. `pending`: the device has not said anything yet, or reports another ' +
    'value. `rejected`: the device refused it. `unsupported`: the model, or this hardware, does not have it.',
})

const OfTemplate = Type.Object(
  { id: Id, value: SettingValue },
  { title: 'SettingOfTemplate', description: 'What the template of the nearest space says.' },
)

const Setting = Type.Object(
  {
    key: Type.String({ description: 'The data point.' }),
    desired: Nullable(SettingValue),
    reported: Nullable(SettingValue),
    reported_at: Nullable({ ...Instant, description: 'When the device last sent the value.' }),
    state: Nullable(State),
    message: Nullable(Type.String({ description: 'Why it is in this state, for people.' })),
    template: Type.Union([OfTemplate, Type.Null()], { description: 'What a template says; null: none says anything.' }),
    differs: Type.Boolean({ description: 'True: a template says otherwise.' }),
  },
  { title: 'DeviceSetting', description: 'One setting of a device. Null where nothing is wanted, or reported.' },
)

const Actor = Type.Object(
  { kind: Type.String(), id: Type.Optional(Type.String()) },
  { title: 'Actor', description: 'Who did it.' },
)

export const DeviceSettings = Type.Object(
  {
    version: Version,
    reported_version: Nullable({ ...Version, description: 'The newest version that the device has reported about.' }),
    reported_at: Nullable({ ...Instant, description: 'When it reported that.' }),
    state: Nullable(State),
    differs: Type.Boolean({ description: 'True: at least one setting differs from the templates.' }),
    source: Nullable(Type.Enum(['customer', 'device', 'template'], { description: 'How it was last changed.' })),
    changed_at: Nullable({ ...Instant, description: 'When what is wanted last changed.' }),
    changed_by: Type.Union([Actor, Type.Null()], { description: 'Who last changed it; null: nobody yet.' }),
    values: Type.Array(Setting, {
      description: 'Every setting that the model has, that is wanted, or that a template names.',
    }),
  },
  { title: 'DeviceSettings', description: 'What is wanted of a device, and what became of it.' },
)

const Values = Dictionary(Nullable(SettingValue), {
  maxProperties: settingLimits.keys,
  propertyNames: DataPoint,
  description: 'By data point; null no longer wants it. What is absent stays.',
})
const SettingsChange = Type.Object(
  {
    values: Values,
    base_version: Type.Optional({
      ...Version,
      description: 'The version that you know; 409 `settings_changed` if there is a newer one.',
    }),
  },
  {
    title: 'SettingsChange',
    description: 'What to change about the settings of a device.',
    additionalProperties: false,
  },
)

const bounds = { minItems: 1, maxItems: listLimits.changedDevices }
const DeviceIds = Type.Array(Id, { ...bounds, description: 'The devices, by id.' })

const ManyChange = Type.Object(
  { device_ids: DeviceIds, values: Values },
  { title: 'ManySettingsChange', description: 'The same settings for many devices.', additionalProperties: false },
)

export const SettingsResults = Type.Object(
  {
    results: Type.Array(
      Type.Object(
        {
          device_id: Type.String(),
          status: Type.Integer({ description: '200, or the status that a call for this device alone would have had.' }),
          version: Type.Optional({ ...Version, description: 'With 200: the newest version of its settings.' }),
          code: Type.Optional(Type.String()),
          error: Type.Optional(Type.String({ description: 'A sentence for people. Branch on `code`.' })),
          details: Type.Optional(Type.Array(FieldProblem)),
        },
        { title: 'SettingsResult', description: 'What came of one device.' },
      ),
      { description: 'One result per device, in the order of the call.' },
    ),
  },
  { title: 'SettingsResults', description: 'What came of every device.' },
)

const Conflict = Type.Object(
  {
    error: Type.String({ description: 'A sentence for people. Branch on `code`.' }),
    code: Type.Enum(['settings_changed']),
    ...DeviceConfig.properties,
  },
  { title: 'SettingsConflict', description: 'The settings were changed meanwhile; with what is wanted now.' },
)

export function toResults(outcomes: SettingsOutcome[]) {
  const results = outcomes.map((outcome) => {
    if (!('refusal' in outcome)) return { ...outcome, status: 200 }
    const { device_id, refusal } = outcome
    return { device_id, status: refusal.status, ...bodyOf(refusal) }
  })
  return { results }
}

export function deviceSettingRoutes(app: App, context: Context): void {
  app.get(
    '/devices/:id/settings',
    route({
      permission: 'devices: read',
      reads: 'bounded',
      summary: 'Get the settings of a device',
      description: 'What is wanted, what the device reports, and in which state each setting is.',
      params: IdPath,
      response: { 200: DeviceSettings },
    }),
    async (request) => getSettings(context, ownerOf(request), request.params.id),
  )

  app.patch(
    '/devices/:id/settings',
    route({
      permission: 'devices: command',
      summary: 'Change the settings of a device',
      description:
        'The change is the next version of the document that the device gets as a whole. Data points that the model does not ' +
        'declare as `settable` are refused, and so are values that its data dictionary does not allow.',
      params: IdPath,
      body: SettingsChange,
      response: { 200: DeviceSettings, 409: Conflict },
    }),
    async (request, reply) => {
      const { actor } = callerOf(request)
      const { id } = request.params
      try {
        return await changeSettings(context, actor, ownerOf(request), id, request.body)
      } catch (error) {
        if (!(error instanceof SettingsChanged)) throw error
        return reply.code(409).send({ error: error.message, code: 'settings_changed', ...error.current })
      }
    },
  )

  app.patch(
    '/devices/settings',
    route({
      permission: 'devices: command',
      summary: 'Change the settings of many devices',
      description: `Up to ${listLimits.changedDevices.toLocaleString('en')} devices, each judged by its own model, with one result each. One that fails undoes no other; sending the same again is safe.`,
      body: ManyChange,
      response: { 200: SettingsResults },
    }),
    async (request) => {
      const { actor } = callerOf(request)
      const { device_ids, values } = request.body
      return toResults(await changeSettingsOfMany(context, actor, ownerOf(request), device_ids, values))
    },
  )
}
