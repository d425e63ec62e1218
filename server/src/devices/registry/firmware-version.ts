import { Type } from 'typebox'

/** The pattern that semver.org gives for version 2.0.0. */
const pattern =
  '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)' +
  '(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?' +
  '(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$'

const maxCharacters = 256

export const firmwareVersionIs = 'a semantic version of at most 256 characters, such as 1.4.2'

export const FirmwareVersion = Type.String({
  maxLength: maxCharacters,
  pattern,
  description: firmwareVersionIs,
})

const matcher = new RegExp(pattern, 'u')

/** For messages, which are read by hand. */
export function isFirmwareVersion(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxCharacters && matcher.test(value)
}
