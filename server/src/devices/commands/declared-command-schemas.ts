import { Type } from 'typebox'
import { Line } from '../../platform/http/schemas.ts'
import { commandLimits } from '../../platform/own-limits.ts'
import type { Value } from '../store/dictionaries.ts'

/** As the portal and the API call it. */
export const CommandName = Type.String({
  maxLength: 64,
  pattern: '^[a-z][a-z0-9_]{0,63}$',
  description: 'lower-case letters, digits and underscores, beginning with a letter; 64 characters or fewer',
})

const DeclaredValue = Type.Unsafe<Value>({
  type: ['number', 'string', 'boolean'],
  maxLength: 200,
  pattern: '^[^\\u0000]*$',
  description: 'a value that it may have; text of 200 characters or fewer',
})

const DeclaredParameter = Type.Object(
  {
    key: Type.String({
      maxLength: 64,
      pattern: '^[A-Za-z][A-Za-z0-9_]{0,63}$',
      description: 'letters, digits and underscores, beginning with a letter; 64 characters or fewer',
    }),
    type: Type.Enum(['number', 'boolean', 'text'], { description: 'What its value is.' }),
    label: Type.Optional(Line(100, { description: 'The name for people, on one line.' })),
    required: Type.Optional(Type.Boolean({ description: 'True: the command is refused without it.' })),
    min: Type.Optional(Type.Number({ description: 'The smallest number that is accepted.' })),
    max: Type.Optional(Type.Number({ description: 'The largest number that is accepted.' })),
    max_length: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10_000, description: 'The most characters of a text.' }),
    ),
    values: Type.Optional(
      Type.Array(DeclaredValue, {
        minItems: 1,
        maxItems: commandLimits.valuesOfParameter,
        description: 'The values that are accepted; any if absent.',
      }),
    ),
    secret: Type.Optional(
      Type.Boolean({
        description: 'True: only the device is shown the value; it is sealed, and erased once the command has ended.',
      }),
    ),
  },
  { title: 'DeclaredParameter', description: 'A parameter of a command.', additionalProperties: false },
)

export const expiresAfter = { minimum: 10, maximum: 604_800 }

export const DeclaredCommand = Type.Object(
  {
    name: CommandName,
    label: Type.Optional(Line(100, { description: 'The name for people, on one line.' })),
    description: Type.Optional(Line(500, { description: 'What the device then does, on one line.' })),
    parameters: Type.Optional(
      Type.Array(DeclaredParameter, {
        maxItems: commandLimits.parametersOfCommand,
        description: 'In the order in which people are asked for them.',
      }),
    ),
    confirm: Type.Optional(Type.Boolean({ description: 'True: people are asked whether they are sure.' })),
    requires_online: Type.Optional(
      Type.Boolean({ description: 'True: refused while the device is offline, instead of waiting for it.' }),
    ),
    expires_after: Type.Optional(
      Type.Integer({
        ...expiresAfter,
        description: 'Seconds after which it is no longer handed out; 3,600 if absent.',
      }),
    ),
    timeout: Type.Optional(
      Type.Integer({
        minimum: 5,
        maximum: 86_400,
        description: 'Seconds that the device may take until its next report; 300 if absent.',
      }),
    ),
  },
  {
    title: 'DeclaredCommand',
    description: 'A command that the devices of a model understand.',
    additionalProperties: false,
  },
)

export const DeclaredCommands = Type.Object(
  {
    commands: Type.Array(DeclaredCommand, {
      maxItems: commandLimits.ofModel,
      description: 'In the order in which they are shown.',
    }),
  },
  {
    title: 'DeclaredCommands',
    description: 'The commands that the devices of a model understand. Any other is refused.',
    additionalProperties: false,
  },
)
