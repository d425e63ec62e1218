import {
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { type Answered, ApiError, ask, type Call, download, goToSignIn, type Query, queryText } from './http.ts'
import { tellDone, tellRefusal } from './told.tsx'

/** One of the three APIs, opened for one customer, one partner or the operator. */
export interface Api {
  name: string
  base: string
  headers: Record<string, string>
  /** What to do when the credential is no longer good. */
  onUnauthorized: () => void
}

const ApiContext = createContext<Api | null>(null)

export function ApiProvider({ api, children }: { api: Api; children: ReactNode }) {
  return <ApiContext value={api}>{children}</ApiContext>
}

export function customerApi(id: string): Api {
  const headers = { 'landbridge-customer': id }
  return { name: `customer:${id}`, base: '/core/v1/organization', headers, onUnauthorized: goToSignIn }
}

export function partnerApi(id: string): Api {
  const headers = { 'landbridge-partner': id }
  return { name: `partner:${id}`, base: '/core/v1/partner', headers, onUnauthorized: goToSignIn }
}

export function operatorApi(key: string, onUnauthorized: () => void): Api {
  return { name: 'operator', base: '/core/v1/operator', headers: { authorization: key }, onUnauthorized }
}

export interface Calls {
  get: <Answer>(path: string, query?: Query, signal?: AbortSignal) => Promise<Answer>
  etagOf: (path: string, signal?: AbortSignal) => Promise<string>
  post: <Answer>(path: string, body?: unknown, signal?: AbortSignal) => Promise<Answer>
  /** With the ETag the change was made from, where two people may change the same. */
  patch: <Answer>(path: string, body: unknown, etag?: string) => Promise<Answer>
  put: <Answer>(path: string, body?: unknown) => Promise<Answer>
  remove: <Answer>(path: string) => Promise<Answer>
  /** Saves what is there as a file. */
  save: (path: string, query: Query, name: string) => Promise<void>
}

export function useApi(): Api & Calls {
  const api = useContext(ApiContext)
  if (!api) throw new Error('There is no API around this part.')
  return useMemo(() => ({ ...api, ...callsOf(api) }), [api])
}

export function callsOf({ base, headers, onUnauthorized }: Api): Calls {
  const askHere = async <Answer,>(path: string, { headers: more, ...options }: Call): Promise<Answered<Answer>> => {
    try {
      return await ask<Answer>(base + path, { headers: { ...headers, ...more }, ...options })
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) onUnauthorized()
      throw error
    }
  }
  const send = async <Answer,>(path: string, options: Call): Promise<Answer> =>
    (await askHere<Answer>(path, options)).answer
  return {
    get: (path, query, signal) => send(path, { query, signal }),
    post: (path, body = {}, signal) => send(path, { method: 'POST', body, signal }),
    etagOf: async (path, signal) => (await askHere(path, { signal })).etag,
    patch: (path, body, etag) =>
      send(path, { method: 'PATCH', body, ...(etag ? { headers: { 'if-match': etag } } : {}) }),
    put: (path, body) => send(path, { method: 'PUT', body }),
    remove: (path) => send(path, { method: 'DELETE' }),
    save: (path, query, name) => download(base + path + queryText(query), headers, name),
  }
}

export function useKey(): (...path: unknown[]) => QueryKey {
  const { name } = useApi()
  return (...path) => [name, ...path]
}

export function useRead<Answer>(path: string, query: Query = {}, options: { every?: number; enabled?: boolean } = {}) {
  const api = useApi()
  return useQuery<Answer, ApiError>({
    queryKey: [api.name, path, query],
    queryFn: ({ signal }) => api.get<Answer>(path, query, signal),
    ...(options.every ? { refetchInterval: options.every } : {}),
    enabled: options.enabled ?? true,
  })
}

/**
 * The version of a thing when this part came up: a change that is sent with it is refused if someone else was faster.
 * Read again when we ourselves have changed it.
 */
export function useEtag(path: string): string | undefined {
  const api = useApi()
  const { data } = useQuery({
    queryKey: [api.name, path, 'etag'],
    queryFn: ({ signal }) => api.etagOf(path, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  return data
}

export interface Page<Item> {
  items: Item[]
  next: string | null
}

/** A list by its cursor, a page at a time: what was loaded stays while a new search is under way. */
export function usePages<Item>(path: string, query: Query = {}, options: { every?: number; enabled?: boolean } = {}) {
  const api = useApi()
  const pages = useInfiniteQuery({
    queryKey: [api.name, path, 'pages', query],
    queryFn: ({ signal, pageParam }) =>
      api.get<Page<Item>>(path, { limit: 100, ...query, after: pageParam ?? undefined }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    ...(options.every ? { refetchInterval: options.every } : {}),
    enabled: options.enabled ?? true,
  })
  const items = useMemo(() => pages.data?.pages.flatMap((page) => page.items) ?? [], [pages.data])
  return { ...pages, items, error: pages.error as ApiError | null }
}

export type Pages<Item> = ReturnType<typeof usePages<Item>>

/** The same pages, with each item as `change` has it, or without it. */
export function changeItems<Item>(
  data: InfiniteData<Page<Item>> | undefined,
  change: (item: Item) => Item[],
): InfiniteData<Page<Item>> | undefined {
  return data && { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.flatMap(change) })) }
}

interface Change<Input, Answer> {
  run: (input: Input) => Promise<Answer>
  /** Paths of this API whose answers are now old. */
  touches?: string[]
  /** What a list shows at once, as if it were done; as it was again when it is refused. */
  meanwhile?: (input: Input) => { list: string; id: string; shows: object }
  /** Answers with the sentence to tell, if there is one. */
  done?: (answer: Answer, input: Input) => unknown
  /** Takes it back, where that is possible: offered beside the sentence. */
  undo?: (input: Input) => Promise<unknown>
  /** A refusal that the page shows itself. */
  quiet?: boolean
}

/** A change: told when it is done, and honest when it was refused. */
export function useChange<Input = void, Answer = unknown>(change: Change<Input, Answer>) {
  const { run, touches = [], meanwhile, done, undo, quiet } = change
  const api = useApi()
  const client = useQueryClient()
  const readAgain = () =>
    client.invalidateQueries({
      predicate: ({ queryKey: [name, at] }) =>
        name === api.name && typeof at === 'string' && touches.some((path) => at.startsWith(path)),
    })
  const takeBack = (input: Input) =>
    undo?.(input)
      .then(() => tellDone('Taken back.'), tellRefusal)
      .then(readAgain)
  return useMutation<Answer, ApiError, Input, [QueryKey, unknown][]>({
    mutationFn: run,
    onMutate: async (input) => {
      if (!meanwhile) return []
      const { list, id, shows } = meanwhile(input)
      const queryKey = [api.name, list, 'pages']
      await client.cancelQueries({ queryKey })
      const before = client.getQueriesData({ queryKey })
      client.setQueriesData<InfiniteData<Page<{ id: string }>>>({ queryKey }, (data) =>
        changeItems(data, (item) => [item.id === id ? { ...item, ...shows } : item]),
      )
      return before
    },
    onSuccess: async (answer, input) => {
      const sentence = done?.(answer, input)
      if (typeof sentence === 'string') tellDone(sentence, undo && (() => void takeBack(input)))
      await readAgain()
    },
    onError: (error, _input, before) => {
      for (const [key, data] of before ?? []) client.setQueryData(key, data)
      // Someone else was faster: what they made of it takes the place of what was shown, so the word must outlive that.
      const overtaken = error.status === 412
      if (overtaken) void readAgain()
      if (overtaken || !quiet) tellRefusal(error)
    },
  })
}
