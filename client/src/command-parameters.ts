import type { DeclaredCommand, DeclaredParameter } from './generated-types.ts'

/** Why these parameters do not fit what the device was built for, or null. The model may have been changed since. */
export function faultIn(declaration: DeclaredCommand, parameters: Record<string, unknown>): string | null {
  const declared = new Map((declaration.parameters ?? []).map((each) => [each.key, each]))
  const unknown = Object.keys(parameters).find((key) => !declared.has(key))
  if (unknown !== undefined) return `${unknown} is not a parameter of ${declaration.name}.`
  for (const parameter of declared.values()) {
    const value = parameters[parameter.key]
    const fault = value === undefined || value === null ? absence(parameter) : mismatch(parameter, value)
    if (fault) return `${parameter.key} ${fault}.`
  }
  return null
}

function absence({ required }: DeclaredParameter): string | null {
  return required ? 'is required' : null
}

function mismatch({ type, min, max, max_length, values }: DeclaredParameter, value: unknown): string | null {
  if (typeof value !== (type === 'text' ? 'string' : type)) return `must be a ${type}`
  if (values && !values.some((each) => each === value)) return `must be one of ${values.join(', ')}`
  if (typeof value === 'number' && min !== undefined && value < min) return `must be at least ${min}`
  if (typeof value === 'number' && max !== undefined && value > max) return `must be at most ${max}`
  if (typeof value === 'string' && max_length !== undefined && [...value].length > max_length)
    return `must have at most ${max_length} characters`
  return null
}
