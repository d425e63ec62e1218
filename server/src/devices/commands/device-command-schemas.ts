import { Type } from 'typebox'
import { Dictionary } from '../../platform/http/schemas.ts'
import { commandLimits } from '../../platform/own-limits.ts'
import { reportStatuses } from './command-states.ts'

/** A command as it reaches a device: the same over HTTP, MQTT and the poll over a fleet. */
export const DeviceCommand = Type.Object(
  {
    id: Type.String({
      format: 'uuid',
      description: 'A command may come more than once: carry out each id once, and report it by this id.',
    }),
    device_id: Type.String({ format: 'uuid' }),
    name: Type.String({ description: 'As the model declares it.' }),
    parameters: Dictionary(Type.Unsafe<unknown>(Type.Union([Type.Number(), Type.String(), Type.Boolean()])), {
      description: 'As the model declares them; those that were not given are absent.',
    }),
    state: Type.Enum(['sent', 'in_progress'], {
      description: '`in_progress`: the device has reported so before, and may have restarted since.',
    }),
    created_at: Type.String({ format: 'date-time' }),
    expires_at: Type.String({ format: 'date-time', description: 'Do not begin with it after this instant.' }),
    attempt: Type.Integer({ description: 'How often it was handed out, this time included.' }),
  },
  { title: 'DeviceCommand', description: 'A command to carry out.' },
)

const reported = {
  status: Type.Enum([...reportStatuses], {
    description:
      '`in_progress` restarts the time that the command may take. The first of `done`, `failed` and `rejected` is final: the same again is accepted, another is refused.',
  }),
  message: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: `For people, at most ${commandLimits.messageBytes.toLocaleString('en')} bytes.`,
    }),
  ),
  result: Type.Optional(Type.Unsafe<unknown>({ description: 'Any JSON, at most 16 KiB.' })),
}

/** By a partner's cloud, with the id of the command in the path. */
export const FleetCommandReport = Type.Object(reported, {
  title: 'FleetCommandReport',
  description: 'What became of a command.',
  additionalProperties: false,
})

export const DeviceCommandReport = Type.Object(
  { id: Type.String({ format: 'uuid', description: 'The id of the command.' }), ...reported },
  { title: 'DeviceCommandReport', description: 'What became of a command.', additionalProperties: false },
)

export const CommandReportAccepted = Type.Object(
  {
    success: Type.Literal(true),
    command: Type.Optional(Type.Literal(true, { description: 'Another command waits for the device.' })),
  },
  { title: 'CommandReportAccepted', description: 'The report is stored.' },
)
