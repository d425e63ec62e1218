import { commandLimits } from '../../platform/own-limits.ts'
import type { Detail } from '../../platform/refusal.ts'
import { typeOf } from '../registry/dictionary-rules.ts'
import type { DeclaredCommand, DeclaredParameter } from '../store/declared-commands-sql.ts'
import type { Value } from '../store/dictionaries.ts'

export const commandDefaults = { expires_after: 3_600, timeout: 300 } as const

const typeNames = { number: 'a number', boolean: 'true or false', text: 'text' }

/** What is wrong between the fields of declared commands; their schema has checked each of them. */
export function problemsOfDeclared(commands: readonly DeclaredCommand[]): Detail[] {
  const twice = repeated(commands.map(({ name }) => name))
  return commands.flatMap(({ parameters = [] }, index) => {
    const at = `commands.${index}`
    const own = twice.has(index) ? [{ field: `${at}.name`, message: 'must not be listed twice' }] : []
    const keysTwice = repeated(parameters.map(({ key }) => key))
    return [
      ...own,
      ...parameters.flatMap((parameter, n) => {
        const found = problemsOfParameter(parameter)
        if (keysTwice.has(n)) found.unshift({ field: 'key', message: 'must not be listed twice' })
        return found.map(({ field, message }) => ({ field: `${at}.parameters.${n}.${field}`, message }))
      }),
    ]
  })
}

/** The positions of what was listed before. */
function repeated(names: readonly unknown[]): Set<number> {
  return new Set(names.flatMap((name, index) => (names.indexOf(name) < index ? [index] : [])))
}

function problemsOfParameter({ type, min, max, max_length, values = [] }: DeclaredParameter): Detail[] {
  const problems: Detail[] = []
  if (type !== 'number' && min !== undefined) problems.push({ field: 'min', message: 'is only for numbers' })
  if (type !== 'number' && max !== undefined) problems.push({ field: 'max', message: 'is only for numbers' })
  if (type !== 'text' && max_length !== undefined) problems.push({ field: 'max_length', message: 'is only for text' })
  if (min !== undefined && max !== undefined && min > max) {
    problems.push({ field: 'max', message: 'must not be less than min' })
  }
  const twice = repeated(values)
  for (const [index, value] of values.entries()) {
    const field = `values.${index}`
    if (twice.has(index)) problems.push({ field, message: 'must not be listed twice' })
    const message = typeOf(value) === type ? problemOfValue({ type, min, max, max_length }, value) : wrongType(type)
    if (message !== undefined) problems.push({ field, message })
  }
  return problems
}

type Limits = Pick<DeclaredParameter, 'type'> & {
  [Name in 'min' | 'max' | 'max_length' | 'values']?: DeclaredParameter[Name] | undefined
}

function wrongType(type: DeclaredParameter['type']): string {
  return `must be ${typeNames[type]}`
}

/** Why a value of a parameter is not accepted; undefined when it is. */
function problemOfValue({ type, min, max, max_length, values }: Limits, value: unknown): string | undefined {
  if (value === null || !['number', 'string', 'boolean'].includes(typeof value)) return wrongType(type)
  if (typeOf(value as Value) !== type) return wrongType(type)
  if (typeof value === 'number' && !Number.isFinite(value)) return wrongType(type)
  if (typeof value === 'number' && min !== undefined && value < min) return `must not be less than ${min}`
  if (typeof value === 'number' && max !== undefined && value > max) return `must not be greater than ${max}`
  if (typeof value === 'string') {
    if (value.includes('\u0000')) return 'must not have the character U+0000'
    if (!value.isWellFormed()) return 'must not have half of a surrogate pair'
    if (max_length !== undefined && [...value].length > max_length) {
      return `must not have more than ${max_length} characters`
    }
  }
  if (values && !values.includes(value as Value))
    return `must be one of ${values.map((one) => JSON.stringify(one)).join(', ')}`
  return undefined
}

export type ParameterValues = Record<string, unknown>

/** What is wrong with the parameters of a command. */
export function problemsOfParameters({ parameters = [] }: DeclaredCommand, given: ParameterValues): Detail[] {
  const size = Buffer.byteLength(JSON.stringify(given))
  if (size > commandLimits.parameterBytes) {
    const message = `must not have more than ${commandLimits.parameterBytes} bytes as JSON`
    return [{ field: 'parameters', message }]
  }
  const declared = new Map(parameters.map((parameter) => [parameter.key, parameter]))
  const unknown = Object.keys(given).filter((key) => !declared.has(key))
  return [
    ...unknown.map((key) => ({ field: `parameters.${key}`, message: 'is not a parameter of this command' })),
    ...parameters.flatMap((parameter) => {
      const field = `parameters.${parameter.key}`
      if (!Object.hasOwn(given, parameter.key)) return parameter.required ? [{ field, message: 'is required' }] : []
      const message = problemOfValue(parameter, given[parameter.key])
      return message === undefined ? [] : [{ field, message }]
    }),
  ]
}

/** The parameters that anybody may read who sees the command, and those that only the device gets. */
export function splitSecrets({ parameters = [] }: DeclaredCommand, given: ParameterValues) {
  const secret = parameters.filter(({ key, secret }) => secret && Object.hasOwn(given, key)).map(({ key }) => key)
  const part = (wanted: boolean) =>
    Object.fromEntries(Object.entries(given).filter(([key]) => secret.includes(key) === wanted))
  return { secret, open: part(false), hidden: part(true) }
}
