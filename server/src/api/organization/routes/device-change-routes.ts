import { Type } from 'typebox'
import {
  changeDevices,
  changeOutcomes,
  removalOutcomes,
  removeDevices,
} from '../../../devices/registry/device-changes.ts'
import type { App } from '../../../platform/http/app.ts'
import { FieldProblem, Id, Name, Nullable } from '../../../platform/http/schemas.ts'
import { partValidator, validatorCompiler } from '../../../platform/http/validation.ts'
import { listLimits, requestLimits } from '../../../platform/own-limits.ts'
import type { Context } from '../../context.ts'
import { tagged } from '../../shared/route-schemas.ts'
import { callerOf, ownerOf } from '../authenticate-organization.ts'

const route = tagged('Organization: devices')
const bounds = { minItems: 1, maxItems: listLimits.changedDevices }
const many = listLimits.changedDevices.toLocaleString('en')

const Change = Type.Object(
  { id: Id, name: Type.Optional(Nullable(Name)), space_id: Type.Optional(Nullable(Id)) },
  {
    title: 'ListedDeviceChange',
    description: 'What to change about one device; what is absent stays.',
    additionalProperties: false,
  },
)
const ChangeList = Type.Object(
  { devices: Type.Array(Change, { ...bounds, description: 'One change per device.' }) },
  { title: 'DeviceChangeList', description: 'Devices to change in one call.', additionalProperties: false },
)
/** What the call must be as a whole; a line that is wrong gets its own result. */
const Lines = Type.Object({ devices: Type.Array(Type.Unknown(), bounds) }, { additionalProperties: false })
const problemsOf = partValidator(Change)

const ChangeResults = Type.Object(
  {
    results: Type.Array(
      Type.Object(
        {
          outcome: Type.Enum([...changeOutcomes], { description: 'What came of the line.' }),
          error: Type.Optional(Type.String({ description: 'A sentence for people. Branch on `outcome`.' })),
          details: Type.Optional(Type.Array(FieldProblem)),
        },
        { title: 'DeviceChangeResult', description: 'What came of one line of the list.' },
      ),
      { description: 'One result per line, in the order of the call.' },
    ),
  },
  { title: 'DeviceChangeResults', description: 'What came of every line of the list.' },
)

export const Chosen = Type.Object(
  { device_ids: Type.Array(Id, { ...bounds, description: 'The devices, by id.' }) },
  { title: 'ChosenDevices', description: `Up to ${many} devices.`, additionalProperties: false },
)
const RemovalResults = Type.Object(
  {
    results: Type.Array(
      Type.Object(
        { outcome: Type.Enum([...removalOutcomes], { description: 'What came of the device.' }) },
        { title: 'DeviceRemovalResult', description: 'What came of one device of the list.' },
      ),
      { description: 'One result per device, in the order of the call.' },
    ),
  },
  { title: 'DeviceRemovalResults', description: 'What came of every device of the list.' },
)

const changing = `Up to ${many} devices, with one result each. A line that fails does not undo the others.

| outcome | meaning |
|---|---|
| \`changed\` | The device has the new name or space. |
| \`unchanged\` | It had them before. Sending a list again is therefore safe. |
| \`not_found\` | You have no such device. |
| \`unknown_space\` | You have no such space. |
| \`invalid\` | The line is not a change; \`details\` names the fields. |`

const removing = `Up to ${many} devices, with one result each. Their credentials stop working at once; their tags and notes are deleted.

| outcome | meaning |
|---|---|
| \`removed\` | The device is removed. |
| \`already_removed\` | It was before. Sending a list again is therefore safe. |
| \`not_found\` | You have no such device. |`

export function deviceChangeRoutes(app: App, context: Context): void {
  app.post(
    '/devices/change-list',
    {
      bodyLimit: requestLimits.listBytes,
      ...route({
        permission: 'devices: manage',
        creates: { unlimited: 'changes devices that exist' },
        summary: 'Rename or move many devices',
        description: changing,
        body: ChangeList,
        response: { 200: ChangeResults },
      }),
      validatorCompiler: (part) => validatorCompiler(part.httpPart === 'body' ? { ...part, schema: Lines } : part),
    },
    async (request) => {
      const { actor } = callerOf(request)
      const lines = request.body.devices.map((line) => {
        const problems = problemsOf(line)
        return problems.length > 0 ? { problems } : line
      })
      return { results: await changeDevices(context, actor, ownerOf(request), lines) }
    },
  )

  app.post(
    '/devices/remove-list',
    route({
      permission: 'devices: manage',
      creates: { unlimited: 'removes devices' },
      summary: 'Remove many devices',
      description: removing,
      body: Chosen,
      response: { 200: RemovalResults },
    }),
    async (request) => {
      const { actor } = callerOf(request)
      return { results: await removeDevices(context, actor, ownerOf(request), request.body.device_ids) }
    },
  )
}
