// Operations are named by their method and path, as in the OpenAPI document; the name decides about all types.
import type { Operations } from './generated.ts'

/** `GET /core/v1/organization/devices/{id}` */
type Operation = keyof Operations
export type Read = Extract<Operation, `GET ${string}`>
export type Write = Exclude<Operation, Read>
/** A read of a list, page by page. */
export type ListRead = {
  [Name in Read]: ResponseOf<Name> extends { items: unknown[]; next: string | null } ? Name : never
}[Read]

export type ResponseOf<Name extends Operation> = Operations[Name]['response']
export type ItemOf<Name extends Operation> = ResponseOf<Name> extends { items: (infer One)[] } ? One : never
export type BodyOf<Name extends Operation> = 'body' extends keyof Operations[Name]
  ? Operations[Name]['body']
  : undefined

/** What is in braces in the name. */
type PathParameters<Name extends string> = Name extends `${string}{${infer Key}}${infer Rest}`
  ? { [One in Key]: string } & PathParameters<Rest>
  : object

/** What may be left out may also be null or any text: filters come from the address of the page. */
type Loose<Query> = {
  [Key in keyof Query]: undefined extends Query[Key] ? Query[Key] | string | null : Query[Key]
}
type QueryParameters<Name extends Operation> = Operations[Name] extends { query: infer Query } ? Loose<Query> : object

/** Those of the path and those of the query; no operation has the same name in both. */
export type ParametersOf<Name extends Operation> = PathParameters<Name> & QueryParameters<Name>

/** Arguments of a function: the parameters, which may be left out where none is required, and more. */
export type WithParameters<Name extends Operation, More extends unknown[] = []> =
  object extends ParametersOf<Name>
    ? [parameters?: ParametersOf<Name>, ...more: More]
    : [parameters: ParametersOf<Name>, ...more: More]

export type Query = Record<string, string | number | boolean | string[] | undefined | null>

export interface Address {
  method: string
  path: string
  query: Query
}

/** For what has checked the types of the parameters. What the path does not name is in the query. */
export function addressOf(name: Operation, parameters: object = {}): Address {
  const [method = '', template = ''] = name.split(' ')
  const query: Query = { ...parameters }
  const path = template.replace(/\{(\w+)\}/g, (_, key: string) => {
    const value = query[key]
    delete query[key]
    return encodeURIComponent(String(value))
  })
  return { method, path, query }
}

export function pathOf<Name extends Read>(name: Name, parameters: PathParameters<Name>): string {
  return addressOf(name, parameters as object).path
}

/** A read to load again, with all below its path. Without its parameters it stands for those with any. */
export type Reload = Read | ReloadOne<Read>
type ReloadOne<Name extends Read> = Name extends Read ? readonly [Name, PathParameters<Name>] : never

/** What the paths of these reads begin with. */
export function reloadPath(reload: Reload): string {
  if (typeof reload !== 'string') return addressOf(reload[0], reload[1] as object).path
  return reload.replace('GET ', '').replace(/\{.*/, '')
}

/** Path and query. */
export function urlOf<Name extends Read>(name: Name, ...[parameters]: WithParameters<Name>): string {
  const { path, query } = addressOf(name, parameters)
  return path + queryText(query)
}

export function queryText(query: Query = {}): string {
  const pairs = Object.entries(query)
    .flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const))
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([name, value]): [string, string] => [name, String(value)])
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}
