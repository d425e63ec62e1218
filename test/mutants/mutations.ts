// Small changes of a source file, each of which a test should notice.
import { parseSync } from 'vite'

/** One change: the text between two offsets becomes another. */
export interface Mutant {
  start: number
  end: number
  after: string
}

interface Node {
  type: string
  start: number
  end: number
}

type Any = Node & Record<string, unknown>

/** What borders, signs and links between conditions become. */
const operators: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '**': '*',
  '&': '|',
  '|': '&',
  '<<': '>>',
  '>>': '<<',
  '>>>': '<<',
  '+=': '-=',
  '-=': '+=',
  '*=': '/=',
  '/=': '*=',
  '++': '--',
  '--': '++',
}

const methods: Record<string, string> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  toLowerCase: 'toUpperCase',
  toUpperCase: 'toLowerCase',
}

/** Calls that return the same kind of thing as they are called on. */
const filters = new Set([
  'filter',
  'slice',
  'sort',
  'toSorted',
  'reverse',
  'toReversed',
  'trim',
  'trimStart',
  'trimEnd',
])

/** What is written for people who read the API document decides nothing. */
const described = new Set(['description', 'title', 'examples'])

/** In the order of the file. */
export function mutantsOf(source: string): Mutant[] {
  const { program, errors } = parseSync('source.ts', source)
  if (errors.length > 0) throw new Error(errors[0]!.message)
  const found: Mutant[] = []
  visit(program as unknown as Any, source, found)
  return found.toSorted((a, b) => a.start - b.start || a.end - b.end)
}

/** What it was and what it becomes, on one line, as the summary and the list of equivalents name it. */
export function changeOf(source: string, { start, end, after }: Mutant): string {
  const words = (text: string) => text.replace(/\s+/g, ' ').trim() || 'nothing'
  return `${words(source.slice(start, end))} → ${words(after)}`
}

export function mutated(source: string, { start, end, after }: Mutant): string {
  return source.slice(0, start) + after + source.slice(end)
}

function visit(node: Any, source: string, found: Mutant[]): void {
  // Types are gone when it runs; what stands in an assertion of a type is not.
  if (/^TS(?!AsExpression|NonNullExpression|SatisfiesExpression)|^(Import|ExportAll)/.test(node.type)) return
  for (const after of ofNode[node.type]?.(node as never, source) ?? []) found.push(after)
  for (const [key, child] of Object.entries(node)) {
    if (isName(node, key) || key === 'source') continue
    for (const each of Array.isArray(child) ? child : [child]) if (isNode(each)) visit(each, source, found)
  }
}

function isName(node: Any, key: string): boolean {
  if (node.type !== 'Property' && node.type !== 'PropertyDefinition') return false
  const name = node.key as Any
  return (key === 'key' && !node.computed) || (key === 'value' && described.has(String(name.name)))
}

function isNode(value: unknown): value is Any {
  return typeof value === 'object' && value !== null && typeof (value as Any).type === 'string'
}

const ofNode: Record<string, (node: never, source: string) => Mutant[]> = {
  BinaryExpression: ofOperator,
  LogicalExpression: ofOperator,
  AssignmentExpression: ofOperator,
  UpdateExpression: ({ start, end, operator, prefix }: Any & { operator: string; prefix: boolean }) => {
    const at = prefix ? start : end - operator.length
    return [{ start: at, end: at + operator.length, after: operators[operator]! }]
  },
  UnaryExpression: ({ start, operator, argument }: Any & { operator: string; argument: Node }) =>
    operator === '!' || operator === '-' ? [{ start, end: argument.start, after: '' }] : [],
  IfStatement: ({ test }: { test: Node }) => always(test, ['true', 'false']),
  ConditionalExpression: ({ test }: { test: Node }) => always(test, ['true', 'false']),
  WhileStatement: ({ test }: { test: Node }) => always(test, ['false']),
  ExpressionStatement: ({ start, end, directive }: Node & { directive?: string }) =>
    directive ? [] : [{ start, end, after: '{}' }],
  BreakStatement: ({ start, end }: Node) => [{ start, end, after: '{}' }],
  ContinueStatement: ({ start, end }: Node) => [{ start, end, after: '{}' }],
  CallExpression: ofCall,
  TemplateLiteral: ({ start, end, quasis }: Node & { quasis: { value: { raw: string } }[] }) =>
    quasis.some(({ value }) => value.raw !== '') ? [{ start, end, after: '``' }] : [],
  Literal: ofLiteral,
}

function ofOperator(node: Any & { left: Node; right: Node; operator: string }, source: string): Mutant[] {
  const { left, right, operator } = node
  if (operator === '??') return [{ start: left.end, end: right.end, after: '' }]
  const after = operators[operator]
  if (after === undefined) return []
  const start = source.indexOf(operator, left.end)
  return [{ start, end: start + operator.length, after }]
}

function always({ start, end }: Node, values: string[]): Mutant[] {
  return values.map((after) => ({ start, end, after }))
}

function ofCall({
  end,
  callee,
}: Node & { callee: Any & { object: Node; property: Node & { name?: string } } }): Mutant[] {
  if (callee.type !== 'MemberExpression' || callee.computed) return []
  const { object, property } = callee
  const name = property.name ?? ''
  if (filters.has(name)) return [{ start: object.end, end, after: '' }]
  const after = Object.hasOwn(methods, name) ? methods[name] : undefined
  return after ? [{ start: property.start, end: property.end, after }] : []
}

function ofLiteral(node: Node & { value: unknown; raw: string; regex?: { pattern: string; flags: string } }): Mutant[] {
  const { start, end, value, raw, regex } = node
  const becoming = (...texts: string[]) => texts.map((after) => ({ start, end, after }))
  if (regex) return becoming(...ofPattern(regex.pattern).map((pattern) => `/${pattern}/${regex.flags}`))
  if (typeof value === 'boolean') return becoming(String(!value))
  if (typeof value === 'number') return becoming(String(value + 1))
  if (typeof value === 'bigint') return becoming(`${value + 1n}n`)
  if (typeof value === 'string') return becoming(value === '' ? `'mutant'` : raw.slice(0, 1) + raw.slice(0, 1))
  return []
}

/** Without an anchor, and with one more at the end of each counted repetition. */
function ofPattern(pattern: string): string[] {
  const patterns: string[] = []
  if (pattern.startsWith('^')) patterns.push(pattern.slice(1) || '(?:)')
  if (pattern.endsWith('$')) patterns.push(pattern.slice(0, -1) || '(?:)')
  for (const { 0: all, 1: least, 2: most, index } of pattern.matchAll(/(?<!\\u)\{(\d+,)?(\d+)\}/g))
    patterns.push(`${pattern.slice(0, index)}{${least ?? ''}${Number(most) + 1}}${pattern.slice(index + all.length)}`)
  return patterns
}
