import { Type } from 'typebox'
import { type CommandState, commandStates } from '../../devices/commands/command-states.ts'
import { CommandName, DeclaredCommands, expiresAfter } from '../../devices/commands/declared-command-schemas.ts'
import { DictionaryEntry } from '../../devices/registry/dictionary-schemas.ts'
import { Dictionary, FieldProblem, Id, Instant, Nullable } from '../../platform/http/schemas.ts'
import { commandLimits } from '../../platform/own-limits.ts'

export const CommandPath = Type.Object({ id: Id, command_id: Id })

const State = Type.Enum([...commandStates], {
  title: 'CommandState',
  description:
    '`queued`: no device has it yet. `sent`: it was handed out. `in_progress`, `done`, `failed`, `rejected`: the device ' +
    'says so. `expired`: it was not carried out in time. `unknown`: the device had it, and nothing came for longer than ' +
    'its timeout; a late report still counts. `canceled`: nobody will carry it out.',
})

const CreatedBy = Type.Object(
  {
    kind: Type.String({ description: '`user`, `application` or `api_key`.' }),
    id: Id,
    name: Nullable(Type.String({ description: 'As it was called then.' })),
  },
  { title: 'CommandCreator', description: 'Who sent the command.' },
)

/** Whatever the device returned. */
const Result = Type.Unsafe<unknown>({ description: 'What the device returned: any JSON.' })

export const Command = Type.Object(
  {
    id: Id,
    device_id: Id,
    device_name: Nullable(Type.String({ description: 'What the device is called now; null once it is removed.' })),
    name: CommandName,
    label: Nullable(Type.String({ description: 'What its model called it for people when it was sent.' })),
    parameters: Dictionary(Type.Unknown(), { description: 'Secret ones are null.' }),
    secret: Type.Array(Type.String(), { description: 'The names of the secret parameters.' }),
    state: State,
    source: Type.Enum(['portal', 'application', 'api_key'], { description: 'Where it came from.' }),
    created_by: Nullable(CreatedBy),
    batch_id: Nullable(Type.String({ format: 'uuid', description: 'Of the call for many devices.' })),
    created_at: Instant,
    expires_at: Instant,
    attempts: Type.Integer({ description: 'How often it was handed out.' }),
    sent_at: Nullable(Instant),
    delivered_at: Nullable(Instant),
    started_at: Nullable(Instant),
    finished_at: Nullable(Instant),
    message: Nullable(Type.String({ description: 'What the device said last.' })),
    result: Result,
  },
  { title: 'Command', description: 'A command to a device.' },
)

/** Judged by the declaration of the model, not by this schema. */
const Parameters = Type.Optional(
  Dictionary(Type.Unknown(), {
    description: `Values for what the model declares, by key; ${commandLimits.parameterBytes.toLocaleString('en')} bytes or fewer as JSON.`,
  }),
)
const command = {
  name: CommandName,
  parameters: Parameters,
  expires_after: Type.Optional(
    Type.Integer({
      ...expiresAfter,
      description: 'Seconds after which it is no longer handed out, instead of those that the model declares.',
    }),
  ),
}

export const NewCommand = Type.Object(command, {
  title: 'NewCommand',
  description: 'A command that the model of the device declares.',
  additionalProperties: false,
})

export const NewCommands = Type.Object(
  {
    device_ids: Type.Array(Id, {
      minItems: 1,
      maxItems: commandLimits.devicesPerCall,
      description: 'The devices, by id.',
    }),
    ...command,
  },
  {
    title: 'NewCommands',
    description: 'A command for many devices: each is judged by its own model.',
    additionalProperties: false,
  },
)

const CommandResult = Type.Object(
  {
    device_id: Id,
    status: Type.Integer({ description: '202, or the status with which a call for this device alone is refused.' }),
    id: Type.Optional(Type.String({ format: 'uuid', description: 'The command.' })),
    code: Type.Optional(Type.String({ description: 'Why it was refused.' })),
    error: Type.Optional(Type.String({ description: 'A sentence for people. Branch on `code`.' })),
    details: Type.Optional(Type.Array(FieldProblem)),
  },
  { title: 'CommandResult', description: 'What came of the command for one device.' },
)

export const CommandBatch = Type.Object(
  {
    batch_id: Id,
    results: Type.Array(CommandResult, { description: 'One result per device, in the order of the call.' }),
  },
  { title: 'CommandBatch', description: 'What came of a command for many devices.' },
)

const someStates = {
  maxLength: 100,
  pattern: `^(?:${commandStates.join('|')})(?:,(?:${commandStates.join('|')}))*$`,
}

export const CommandFilters = {
  state: Type.Optional(
    Type.Unsafe<string | string[]>({
      ...someStates,
      type: ['string', 'array'],
      minItems: 1,
      maxItems: commandStates.length,
      items: { type: 'string', ...someStates },
      description: `one or more of ${commandStates.join(', ')}, with commas between them; or the parameter repeated for each`,
    }),
  ),
  batch_id: Type.Optional(Type.String({ format: 'uuid', description: 'Of this call for many devices.' })),
}

/** The states that were asked for, each once. */
export function readStates(state: string | string[] | undefined): CommandState[] | undefined {
  return state === undefined ? undefined : ([...new Set([state].flat().join().split(','))] as CommandState[])
}

export const BatchQuery = Type.Object({
  batch_id: Type.String({ format: 'uuid', description: 'Of a call for many devices.' }),
})

export const CommandCounts = Type.Object(
  Object.fromEntries(
    commandStates.map((state) => [state, Type.Integer({ description: `In the state \`${state}\`.` })]),
  ) as Record<CommandState, ReturnType<typeof Type.Integer>>,
  { title: 'CommandCounts', description: 'The number of commands in each state.' },
)

export const WaitQuery = Type.Object({
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: commandLimits.waitSeconds,
      default: 0,
      description: 'Seconds to wait for the next change.',
    }),
  ),
})

export const CommandsOfDevice = Type.Object(
  {
    ...DeclaredCommands.properties,
    settable: Type.Array(DictionaryEntry, { description: 'The data points that can be set.' }),
  },
  { title: 'CommandsOfDevice', description: 'What a device can be asked to do.' },
)
