// What is typed into the form of a command, and what is sent of it.
import type { CommandParameter } from '../../api/commands.ts'
import { formatNumber } from '../page/numbers.ts'

/** As the form has it: empty where nothing is entered. Booleans and choices are text. */
export type Typed = string | number

export type Scalar = number | string | boolean

/** In the order of the parameters: a key may contain a dot, which a path of the form may not. */
export function emptyValues(parameters: readonly CommandParameter[]): Typed[] {
  return parameters.map(() => '')
}

/** The value to send; undefined where nothing is entered. */
export function enteredValue(parameter: CommandParameter, typed: Typed): Scalar | undefined {
  if (typed === '') return undefined
  if (parameter.type === 'number') return Number(typed)
  return parameter.type === 'boolean' ? typed === 'true' : String(typed)
}

export function parametersOf(
  parameters: readonly CommandParameter[],
  values: readonly Typed[],
): Record<string, Scalar> | undefined {
  const given = parameters.flatMap((parameter, index) => {
    const value = enteredValue(parameter, values[index] ?? '')
    return value === undefined ? [] : [[parameter.key, value] as const]
  })
  return parameters.length > 0 ? Object.fromEntries(given) : undefined
}

/** By path in the form. The service checks the same. */
export function problemsOfValues(
  parameters: readonly CommandParameter[],
  values: readonly Typed[],
): Record<string, string> {
  const found = parameters.flatMap((parameter, index) => {
    const problem = problemOf(parameter, values[index] ?? '')
    return problem ? [[`values.${index}`, problem] as const] : []
  })
  return Object.fromEntries(found)
}

function problemOf(parameter: CommandParameter, typed: Typed): string | undefined {
  const value = enteredValue(parameter, typed)
  if (value === undefined) return parameter.required ? 'Required' : undefined
  if (typeof value === 'number') {
    const { min, max } = parameter
    if (!Number.isFinite(value)) return 'Enter a number'
    if (min !== undefined && value < min) return `Enter ${formatNumber(min)} or more`
    if (max !== undefined && value > max) return `Enter ${formatNumber(max)} or less`
  }
  if (typeof value === 'string' && parameter.max_length !== undefined && value.length > parameter.max_length) {
    return `Use ${parameter.max_length} characters or fewer`
  }
  return undefined
}

/** `5 to 35`, `at most 8 characters`; empty without limits. */
export function limitsText({ type, min, max, max_length, values }: CommandParameter): string {
  if (values?.length) return ''
  if (type === 'text') return max_length === undefined ? '' : `At most ${max_length} characters`
  if (min !== undefined && max !== undefined) return `${formatNumber(min)} to ${formatNumber(max)}`
  if (min !== undefined) return `${formatNumber(min)} or more`
  return max === undefined ? '' : `${formatNumber(max)} or less`
}

/** The service names `parameters.pin`; the form has it at `values.2`. */
export function formField(parameters: readonly CommandParameter[], field: string): string {
  const index = parameters.findIndex(({ key }) => field === `parameters.${key}` || field === key)
  return index < 0 ? field : `values.${index}`
}
