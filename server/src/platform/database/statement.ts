/**
 * The tag behind every SQL statement: it turns a template into text with numbered parameters. A statement inside
 * another one becomes a part of it; a statement that is awaited is run.
 */

import type { Shards } from './shards.ts'

/** Rows in the order Postgres returned them, and how many rows the statement returned or changed. */
export type Result<Rows extends readonly unknown[]> = Rows & { count: number; command: string }

/** A statement as it is sent to Postgres. Statements with a name are parsed once per connection. */
export interface Prepared {
  text: string
  name: string | undefined
  values: unknown[]
  signal?: AbortSignal
  /** What it concerns of a distributed database, as far as it says so (`concerning`). */
  buckets?: number[]
}

/** Where statements go: a pool, or the one connection of a transaction. */
export type Run = (prepared: Prepared) => Promise<Result<unknown[]>>

// biome-ignore lint/suspicious/noExplicitAny: without a row type, a statement returns whatever it selects
type AnyRow = Record<string, any>

/** A piece of SQL. It runs when it is awaited, and not when it is put into another one. */
export class Statement<Rows extends readonly unknown[] = AnyRow[]> implements Promise<Result<Rows>> {
  readonly [Symbol.toStringTag] = 'Statement'
  readonly strings: readonly string[]
  readonly values: readonly unknown[]
  signal: AbortSignal | undefined
  buckets: readonly number[] | undefined
  #run: Run
  #result: Promise<Result<Rows>> | undefined

  constructor(run: Run, strings: readonly string[], values: readonly unknown[]) {
    this.#run = run
    this.strings = strings
    this.values = values
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting it is what runs it
  then<Value = Result<Rows>, Failure = never>(
    resolved?: ((result: Result<Rows>) => Value | PromiseLike<Value>) | null,
    rejected?: ((error: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Value | Failure> {
    return this.#execute().then(resolved, rejected)
  }

  // biome-ignore lint/suspicious/noExplicitAny: as Promise.prototype.catch has it
  catch<Failure = never>(rejected: (error: any) => Failure | PromiseLike<Failure>): Promise<Result<Rows> | Failure> {
    return this.#execute().catch(rejected)
  }

  finally(done: () => void): Promise<Result<Rows>> {
    return this.#execute().finally(done)
  }

  /** As it would be sent, for a statement that another one carries. */
  prepared(): Prepared {
    return prepare(this)
  }

  #execute(): Promise<Result<Rows>> {
    if (!this.#result) {
      const prepared = this.prepared()
      const result = this.#run(this.signal ? { ...prepared, signal: this.signal } : prepared)
      this.#result = result as unknown as Promise<Result<Rows>>
    }
    return this.#result
  }
}

/** A piece of SQL to be put into a statement. */
// biome-ignore lint/suspicious/noExplicitAny: a fragment has no rows
export type Fragment = Statement<any>

/** A value that Postgres stores as JSON. */
class Json {
  readonly text: string
  constructor(value: unknown) {
    this.text = JSON.stringify(value)
  }
}

/** Names, or columns and values of rows, which a plain parameter cannot express. */
class Part {
  readonly write: (sink: Sink) => void
  constructor(write: (sink: Sink) => void) {
    this.write = write
  }
}

export interface Tag {
  <Rows extends readonly unknown[] = AnyRow[]>(strings: TemplateStringsArray, ...values: unknown[]): Statement<Rows>
  /** Names of tables or columns, quoted. */
  (names: string | readonly string[]): Part
  /** `(columns) values (…)` after `insert into`, `column = …` after `set`. Without columns, those of the first row. */
  <Row extends object>(rows: Row | readonly Row[], ...columns: (keyof Row & string)[]): Part
  json(value: unknown): Json
  /** Text as it is, which may hold several statements; it must not contain anything from a request. */
  unsafe<Rows extends readonly unknown[] = AnyRow[]>(text: string): Statement<Rows>
  /** Null for one Postgres. */
  readonly shards: Shards | null
}

export function createTag(run: Run, shards: Shards | null = null): Tag {
  function tag(first: unknown, ...rest: unknown[]): unknown {
    if (Array.isArray(first) && 'raw' in first) return new Statement(run, first, rest)
    if (typeof first === 'string') return names([first])
    if (Array.isArray(first) && typeof first[0] === 'string') return names(first)
    return rows((Array.isArray(first) ? first : [first]) as Record<string, unknown>[], rest as string[])
  }
  return Object.assign(tag, {
    json: (value: unknown) => new Json(value),
    unsafe: (text: string) => new Statement(run, [text], []),
    shards,
  }) as Tag
}

/** A statement without parameters, which is not named. */
export function plain(text: string): Prepared {
  return { text, name: undefined, values: [] }
}

interface Sink {
  text: string
  values: unknown[]
  buckets?: number[]
}

function prepare(statement: Fragment): Prepared {
  const sink: Sink = { text: '', values: [] }
  write(sink, statement)
  return { ...sink, name: sink.values.length > 0 ? nameOf(sink.text) : undefined }
}

function write(sink: Sink, { strings, values, buckets }: Fragment): void {
  if (buckets) sink.buckets = [...(sink.buckets ?? []), ...buckets]
  sink.text += strings[0]
  for (let index = 0; index < values.length; index += 1) {
    writeValue(sink, values[index])
    sink.text += strings[index + 1]
  }
}

function writeValue(sink: Sink, value: unknown): void {
  if (value instanceof Statement) write(sink, value)
  else if (value instanceof Part) value.write(sink)
  else if (Array.isArray(value) && value[0] instanceof Statement) {
    for (const piece of value as Statement[]) {
      write(sink, piece)
      sink.text += ' '
    }
  } else writeParameter(sink, value)
}

/**
 * The cast gives Postgres the parameter's type where the statement alone would not (`select $1` is text); a value of
 * another type instead makes another text, and so another named statement.
 */
function writeParameter(sink: Sink, value: unknown): void {
  const placeholder = `$${sink.values.length + 1}`
  if (typeof value === 'string' || typeof value === 'number' || value === null) {
    sink.values.push(value)
    sink.text += placeholder
  } else if (value instanceof Date) {
    sink.values.push(value.toISOString())
    sink.text += `${placeholder}::timestamptz`
  } else if (typeof value === 'boolean') {
    sink.values.push(value)
    sink.text += `${placeholder}::boolean`
  } else if (value instanceof Uint8Array) {
    sink.values.push(value)
    sink.text += `${placeholder}::bytea`
  } else if (typeof value === 'bigint') {
    sink.values.push(value)
    sink.text += `${placeholder}::bigint`
  } else if (value instanceof Json) {
    sink.values.push(value.text)
    sink.text += `${placeholder}::jsonb`
  } else if (Array.isArray(value)) {
    sink.values.push(value.map(element))
    sink.text += placeholder
  } else {
    throw new TypeError(`cannot be an SQL parameter: ${value === undefined ? 'undefined' : typeof value}`)
  }
}

function element(value: unknown): unknown {
  if (value === undefined) throw new TypeError('cannot be an element of an SQL array: undefined')
  return value instanceof Date ? value.toISOString() : value
}

function names(all: readonly string[]): Part {
  const text = all.map(quote).join(', ')
  return new Part((sink) => {
    sink.text += text
  })
}

function rows(all: Record<string, unknown>[], columns: string[]): Part {
  const chosen = columns.length > 0 ? columns : Object.keys(all[0]!)
  return new Part((sink) => {
    // The last of these keywords decides which form is written.
    const assigning = [...sink.text.matchAll(/\b(?:insert into|set)\b/gi)].at(-1)?.[0].toLowerCase() === 'set'
    if (assigning) return assign(sink, all[0]!, chosen)
    sink.text += `(${chosen.map(quote).join(', ')}) values `
    for (const [index, row] of all.entries()) {
      sink.text += index === 0 ? '(' : ', ('
      for (const [index, column] of chosen.entries()) {
        if (index > 0) sink.text += ', '
        writeValue(sink, row[column])
      }
      sink.text += ')'
    }
  })
}

function assign(sink: Sink, row: Record<string, unknown>, columns: string[]): void {
  for (const [index, column] of columns.entries()) {
    sink.text += `${index > 0 ? ', ' : ''}${quote(column)} = `
    writeValue(sink, row[column])
  }
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

const statementNames = new Map<string, string>()
/** Texts come from our own templates, so there are few; a limit, since Postgres keeps each for as long as its session. */
const maxNames = 2_000

function nameOf(text: string): string | undefined {
  let name = statementNames.get(text)
  if (name === undefined && statementNames.size < maxNames) {
    name = `s${statementNames.size + 1}`
    statementNames.set(text, name)
  }
  return name
}
