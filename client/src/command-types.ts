import type { DeclaredCommand } from './generated-types.ts'

/** What a parameter of a command, or a setting, may be. */
export type Value = number | boolean | string

/** A command as it reaches a device: the same over HTTP, MQTT and the poll of a fleet. */
export interface HandedOutCommand {
  id: string
  device_id: string
  name: string
  parameters: Record<string, Value>
  /** `in_progress`: the device has said that it began, and nothing since. */
  state: 'sent' | 'in_progress'
  created_at: string
  /** By the service's clock. */
  expires_at: string
  /** 1 when it is handed out for the first time. */
  attempt: number
}

export interface CommandOutcome {
  status: 'done' | 'failed' | 'rejected'
  message?: string
  /** JSON of at most 16 KiB. */
  result?: unknown
}

export interface CommandReport extends Omit<CommandOutcome, 'status'> {
  id: string
  status: CommandOutcome['status'] | 'in_progress'
}

/** What a device is to be set to: always the whole of it. */
export interface SettingsDocument {
  version: number
  config: Record<string, Value>
  last_updated: string | null
}

/** Why a device does not apply a setting; `unsupported`: it has no such setting. */
export interface RefusedSetting {
  key: string
  message?: string
  unsupported?: true
}

export type SettingsReport =
  | { version: number; result: 'applied' | 'rejected'; details?: RefusedSetting[] }
  | { base_version: number; values: Record<string, Value> }

/** A parameter, as `defineCommands` takes it. */
export interface ParameterDeclaration {
  key: string
  type: 'number' | 'boolean' | 'text'
  label?: string
  required?: boolean
  min?: number
  max?: number
  max_length?: number
  values?: readonly Value[]
  secret?: boolean
}

/** A command, as `defineCommands` takes it. */
export interface CommandDeclaration {
  name: string
  label?: string
  description?: string
  parameters?: readonly ParameterDeclaration[]
  confirm?: boolean
  requires_online?: boolean
  expires_after?: number
  timeout?: number
}

type ValueOf<Parameter> = Parameter extends { values: readonly (infer Allowed)[] }
  ? Allowed
  : Parameter extends { type: 'number' }
    ? number
    : Parameter extends { type: 'boolean' }
      ? boolean
      : string

type Declared<Command> = Command extends { parameters: readonly (infer Parameter)[] } ? Parameter : never
type KeyOf<Parameter> = Parameter extends { key: infer Key extends string } ? Key : never
type Required<Parameter> = Extract<Parameter, { required: true }>
type Optional<Parameter> = Exclude<Parameter, { required: true }>

/** What the handler of a declared command is given: what is `required` is there, what has `values` is one of them. */
export type ParametersOf<Command> = {
  [Each in Required<Declared<Command>> as KeyOf<Each>]: ValueOf<Each>
} & { [Each in Optional<Declared<Command>> as KeyOf<Each>]?: ValueOf<Each> }

/** The parameters of each command by its name: what the types of handlers are made of. */
export type CommandTypes = Record<string, object>

declare const types: unique symbol

/** A declaration as the partner API takes it, which remembers its types. */
export type DefinedCommands<Types extends CommandTypes> = DeclaredCommand[] & { readonly [types]?: Types }

/**
 * Declares the commands of a model once: for `partner.models.commands.replace`, for the types of the handlers, and to
 * refuse parameters that do not fit.
 */
export function defineCommands<const Commands extends readonly CommandDeclaration[]>(
  commands: Commands,
): DefinedCommands<{ [Each in Commands[number] as Each['name']]: ParametersOf<Each> }> {
  return [...commands] as DeclaredCommand[]
}
