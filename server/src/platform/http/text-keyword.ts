import type { FuncKeywordDefinition, SchemaValidateFunction } from 'ajv'
import { readText, type TextKind } from '../texts.ts'

const judgeText: SchemaValidateFunction = (kind: TextKind, sent: string, schema, context) => {
  const { maxLength } = schema as { maxLength: number }
  // It counts characters of at most two code units each, so a longer text has failed it already.
  if (sent.length > 2 * maxLength) return true
  const read = readText(kind, sent, maxLength)
  judgeText.errors = 'problem' in read ? [{ keyword: 'x-text', message: read.problem, params: {} }] : []
  if ('text' in read && context) context.parentData[context.parentDataProperty] = read.text
  return 'text' in read
}

/** `x-text` of `Line` and `Lines`: what a verb gets is what the rule made of the text. */
export const textKeyword: FuncKeywordDefinition = {
  keyword: 'x-text',
  type: 'string',
  modifying: true,
  errors: true,
  validate: judgeText,
}
