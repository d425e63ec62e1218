import type { CommandParameter, DeclaredCommand } from '../api/commands.ts'

/** A parameter as a form has it: a field that is not filled in is empty, and values are text. */
export interface ParameterFields {
  key: string
  label: string
  type: CommandParameter['type']
  required: boolean
  secret: boolean
  min: number | string
  max: number | string
  max_length: number | string
  values: string[]
}

export interface CommandFields {
  name: string
  label: string
  description: string
  confirm: boolean
  requires_online: boolean
  expires_after: number | ''
  timeout: number | ''
  parameters: ParameterFields[]
}

/** In seconds, as the service takes them. */
export const durations = {
  expires_after: { min: 10, max: 604_800, usual: 3_600 },
  timeout: { min: 5, max: 86_400, usual: 300 },
}
export const maxCommands = 100
export const maxParameters = 20

export function emptyParameter(): ParameterFields {
  return parameterFields({ key: '', type: 'number' })
}

export function commandFields(command: DeclaredCommand | undefined): CommandFields {
  const { name = '', label = '', description = '', confirm = false, requires_online = false } = command ?? {}
  return {
    ...{ name, label, description, confirm, requires_online },
    expires_after: command?.expires_after ?? durations.expires_after.usual,
    timeout: command?.timeout ?? durations.timeout.usual,
    parameters: (command?.parameters ?? []).map(parameterFields),
  }
}

function parameterFields(parameter: CommandParameter): ParameterFields {
  const { key, type, label = '', required = false, secret = false, min, max, max_length, values = [] } = parameter
  return {
    ...{ key, type, label, required, secret, min: min ?? '', max: max ?? '', max_length: max_length ?? '' },
    values: values.map(String),
  }
}

/** Only what says something: what is usual is left out. */
export function commandOf(fields: CommandFields): DeclaredCommand {
  const { label, description, confirm, requires_online, expires_after, timeout, parameters } = fields
  return {
    name: fields.name.trim(),
    ...(label.trim() ? { label: label.trim() } : {}),
    ...(description.trim() ? { description: description.trim() } : {}),
    ...(parameters.length > 0 ? { parameters: parameters.map(parameterOf) } : {}),
    ...(confirm ? { confirm } : {}),
    ...(requires_online ? { requires_online } : {}),
    ...(expires_after === '' ? {} : { expires_after }),
    ...(timeout === '' ? {} : { timeout }),
  }
}

function parameterOf(fields: ParameterFields): CommandParameter {
  const { key, type, label, required, secret, values } = fields
  const number = (name: 'min' | 'max' | 'max_length') =>
    typeof fields[name] === 'number' ? { [name]: fields[name] } : {}
  return {
    key: key.trim(),
    type,
    ...(label.trim() ? { label: label.trim() } : {}),
    ...(required ? { required } : {}),
    ...(type === 'number' ? { ...number('min'), ...number('max') } : {}),
    ...(type === 'text' ? number('max_length') : {}),
    ...(type !== 'boolean' && values.length > 0 ? { values: type === 'number' ? values.map(Number) : values } : {}),
    ...(secret ? { secret } : {}),
  }
}

/** By field; the service checks the same and the lengths. */
export function problemsOfCommand(fields: CommandFields, otherNames: ReadonlySet<string>): Record<string, string> {
  const problems: Record<string, string> = {}
  const name = fields.name.trim()
  if (name === '') problems.name = 'Required'
  else if (!/^[a-z][a-z0-9_]{0,63}$/.test(name)) {
    problems.name = 'Use small letters, digits and _, and begin with a letter'
  } else if (otherNames.has(name)) problems.name = 'Another command has this name'
  for (const field of ['expires_after', 'timeout'] as const) {
    const { min, max } = durations[field]
    const seconds = fields[field]
    if (seconds === '') problems[field] = 'Required'
    else if (seconds < min || seconds > max) problems[field] = 'Too short or too long'
  }
  const keys = new Set<string>()
  for (const [index, parameter] of fields.parameters.entries()) {
    const problem = problemOfKey(parameter.key.trim(), keys)
    if (problem) problems[`parameters.${index}.key`] = problem
    keys.add(parameter.key.trim())
    Object.assign(problems, problemsOfLimits(parameter, `parameters.${index}`))
  }
  return problems
}

function problemOfKey(key: string, others: ReadonlySet<string>): string | undefined {
  if (key === '') return 'Required'
  return others.has(key) ? 'Another parameter has this key' : undefined
}

function problemsOfLimits({ type, min, max, values }: ParameterFields, path: string): Record<string, string> {
  if (type !== 'number') return {}
  const isTurned = typeof min === 'number' && typeof max === 'number' && min > max
  const isText = values.some((value) => value.trim() === '' || !Number.isFinite(Number(value)))
  return {
    ...(isTurned ? { [`${path}.max`]: 'Less than the minimum' } : {}),
    ...(isText ? { [`${path}.values`]: 'Enter numbers only' } : {}),
  }
}

/** The service names `commands.3.parameters.0.min`; the form of the third command has `parameters.0.min`. */
export function commandField(field: string): string {
  return field.replace(/^commands\.\d+\./, '').replace(/(\.values)\.\d+$/, '$1')
}
