import {
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from 'react'
import { type Arrived, firstData, takeArrived } from './first-reads.ts'
import { ApiError, type Call, download, postForFile, type Query, queryText, request } from './http.ts'
import { notifyConflict, notifyDone, notifyError } from './notify.tsx'
import { sendOnce } from './once.ts'
import { sessionEnded } from './session.tsx'

/** One of the three APIs, for one customer, one partner or the operator. */
export interface Api {
  name: string
  base: string
  headers: Record<string, string>
  /** Called when the credential is no longer valid, with whether something was to be changed. */
  onUnauthorized: (wasChange: boolean) => void
}

const ApiContext = createContext<Api | null>(null)

export function ApiProvider({ api, children }: { api: Api; children: ReactNode }) {
  return <ApiContext value={api}>{children}</ApiContext>
}

export function customerApi(id: string): Api {
  const headers = { 'landbridge-customer': id }
  return { name: `customer:${id}`, base: '/core/v1/organization', headers, onUnauthorized: sessionEnded }
}

export function partnerApi(id: string): Api {
  const headers = { 'landbridge-partner': id }
  return { name: `partner:${id}`, base: '/core/v1/partner', headers, onUnauthorized: sessionEnded }
}

export function operatorApi(key: string, onUnauthorized: () => void): Api {
  return { name: 'operator', base: '/core/v1/operator', headers: { authorization: key }, onUnauthorized }
}

export interface Calls {
  get: <Result>(path: string, query?: Query, signal?: AbortSignal) => Promise<Result>
  etagOf: (path: string, signal?: AbortSignal) => Promise<string>
  /** Executed once, however often it is clicked or sent again. */
  post: <Result>(path: string, body?: unknown, signal?: AbortSignal) => Promise<Result>
  /** With an ETag the change is refused if someone else was faster. */
  patch: <Result>(path: string, body: unknown, etag?: string) => Promise<Result>
  put: <Result>(path: string, body?: unknown, etag?: string) => Promise<Result>
  remove: <Result>(path: string) => Promise<Result>
  /** Saves the response as a file, by the name that the service gives it, else by this one. */
  save: (path: string, query: Query, name?: string) => Promise<void>
  /** The same, of a call with a body. */
  /** What a POST returns that is no JSON. */
  fileOf: (path: string, body: unknown) => Promise<File>
}

export function useApi(): Api & Calls {
  const api = useContext(ApiContext)
  if (!api) throw new Error('useApi needs an ApiProvider.')
  return useMemo(() => ({ ...api, ...callsOf(api) }), [api])
}

/** The versions of what was received. */
const etags = new WeakMap<object, string>()

export function callsOf({ base, headers, onUnauthorized }: Api): Calls {
  const requestHere = async <Result,>(path: string, { headers: more, ...options }: Call) => {
    try {
      return await request<Result>(base + path, { headers: { ...headers, ...more }, ...options })
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) onUnauthorized((options.method ?? 'GET') !== 'GET')
      throw error
    }
  }
  const send = async <Result,>(path: string, options: Call): Promise<Result> => {
    const { body, etag } = await requestHere<Result>(path, options)
    if (typeof body === 'object' && body !== null) etags.set(body, etag)
    return body
  }
  return {
    get: (path, query, signal) => send(path, { query, signal }),
    post: (path, body = {}, signal) =>
      sendOnce([base, headers, path, body], (key) =>
        send(path, { method: 'POST', body, signal, headers: { 'idempotency-key': key } }),
      ),
    etagOf: async (path, signal) => (await requestHere(path, { signal })).etag,
    patch: (path, body, etag) => send(path, { method: 'PATCH', body, ...ifMatch(etag) }),
    put: (path, body, etag) => send(path, { method: 'PUT', body, ...ifMatch(etag) }),
    remove: (path) => send(path, { method: 'DELETE' }),
    save: (path, query, name) => download(base + path + queryText(query), headers, name),
    fileOf: (path, body) => postForFile(base + path, headers, body),
  }
}

function ifMatch(etag: string | undefined): Pick<Call, 'headers'> {
  return etag ? { headers: { 'if-match': etag } } : {}
}

/** The version of a response of `get`, `patch` or `put`. */
export function versionOf(body: object): string | undefined {
  return etags.get(body)
}

export function useRead<Result>(path: string, query: Query = {}, options: { every?: number; enabled?: boolean } = {}) {
  const api = useApi()
  return useQuery<Result, ApiError>({
    queryKey: [api.name, path, query],
    queryFn: ({ signal }) => api.get<Result>(path, query, signal),
    ...firstData(
      () => takeArrived(api.base + path + queryText(query), api.headers),
      (arrived) => bodyOf<Result>(arrived),
    ),
    ...(options.every ? { refetchInterval: options.every } : {}),
    enabled: options.enabled ?? true,
  })
}

function bodyOf<Result>({ text, etag }: Arrived): Result {
  const body = JSON.parse(text) as Result
  if (typeof body === 'object' && body !== null) etags.set(body, etag)
  return body
}

/**
 * The version when the component mounted, or after our own last change: sent with a change, it detects that someone else
 * was faster. A form waits for it, because a change without it would overwrite anything.
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

/** A list, page by page. While a new search is loading, the former result stays. */
export function usePages<Item>(path: string, query: Query = {}, options: { every?: number; enabled?: boolean } = {}) {
  const api = useApi()
  const pages = useInfiniteQuery({
    queryKey: [api.name, path, 'pages', query],
    queryFn: ({ signal, pageParam }) =>
      api.get<Page<Item>>(path, { limit: 100, ...query, after: pageParam ?? undefined }, signal),
    ...firstData(
      () => takeArrived(api.base + path + queryText({ limit: 100, ...query }), api.headers),
      (arrived) => ({ pages: [bodyOf<Page<Item>>(arrived)], pageParams: [null as string | null] }),
    ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    ...(options.every ? { refetchInterval: options.every } : {}),
    enabled: options.enabled ?? true,
  })
  const items = useMemo(() => pages.data?.pages.flatMap((page) => page.items) ?? [], [pages.data])
  return { ...pages, items, error: pages.error as ApiError | null }
}

/** The whole list, page after page: for choices, where a missing item would seem not to exist. */
export function useAll<Item>(path: string, options: { enabled?: boolean } = {}) {
  const list = usePages<Item>(path, {}, options)
  const { hasNextPage, isFetchingNextPage, error, fetchNextPage } = list
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !error) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, error, fetchNextPage])
  return list
}

export type Pages<Item> = ReturnType<typeof usePages<Item>>

/** Replaces each item by what `change` returns for it: one item, or none to remove it. */
export function changeItems<Item>(
  data: InfiniteData<Page<Item>> | undefined,
  change: (item: Item) => Item[],
): InfiniteData<Page<Item>> | undefined {
  return data && { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.flatMap(change) })) }
}

export interface Change<Input, Result> {
  run: (input: Input) => Promise<Result>
  /** Paths of this API to load again afterwards; their subpaths too. */
  invalidates?: string[]
  /** What a list shows before the response is there; rolled back on an error. */
  optimistic?: (input: Input) => { list: string; id: string; changes: object }
  /** Returns the sentence for the notification, if there is one. */
  done?: (result: Result, input: Input) => unknown
  /** Offered in the notification. With the ETag that the change returned, it is refused if someone else was faster. */
  undo?: (input: Input, etag: string | undefined) => Promise<unknown>
  /** True where users take away their own rights: they could not undo it, nor load this page again. */
  givesUpAccess?: (input: Input) => boolean
  /** The page shows errors itself. */
  silent?: boolean
}

/**
 * A request that changes something, with its notifications and what has to be loaded again. The same change is not
 * started again while it is under way: a second click may come before the button shows that it waits.
 */
export function useChange<Input = void, Result = unknown>(change: Change<Input, Result>) {
  const { run, invalidates = [], optimistic, done, undo, givesUpAccess, silent } = change
  const api = useApi()
  const client = useQueryClient()
  const reload = () =>
    client.invalidateQueries({
      predicate: ({ queryKey: [name, at] }) =>
        name === api.name && typeof at === 'string' && invalidates.some((path) => at.startsWith(path)),
    })
  const undoChange = (input: Input, etag: string | undefined) =>
    undo?.(input, etag)
      .then(() => notifyDone('Undone.'), notifyFailure)
      .then(reload)
  const running = useRef(new Map<string, Promise<Result>>())
  const mutation = useMutation<Result, ApiError, Input, [QueryKey, unknown][]>({
    mutationFn: run,
    onMutate: async (input) => {
      if (!optimistic) return []
      const { list, id, changes } = optimistic(input)
      const queryKey = [api.name, list, 'pages']
      await client.cancelQueries({ queryKey })
      const before = client.getQueriesData({ queryKey })
      client.setQueriesData<InfiniteData<Page<{ id: string }>>>({ queryKey }, (data) =>
        changeItems(data, (item) => [item.id === id ? { ...item, ...changes } : item]),
      )
      return before
    },
    onSuccess: async (result, input) => {
      const sentence = done?.(result, input)
      const etag = typeof result === 'object' && result !== null ? versionOf(result) : undefined
      const gone = givesUpAccess?.(input) ?? false
      const offered = undo && !gone ? () => void undoChange(input, etag) : undefined
      if (typeof sentence === 'string') notifyDone(sentence, offered)
      await (gone ? client.invalidateQueries({ queryKey: ['session'] }) : reload())
    },
    onError: (error, _input, before) => {
      for (const [key, data] of before ?? []) client.setQueryData(key, data)
      // Someone else was faster: their version replaces the form, so only a notification can say why.
      const conflict = error.status === 412
      if (conflict) void reload()
      if (conflict || !silent) notifyFailure(error)
    },
  })
  const mutateAsync: typeof mutation.mutateAsync = (...args) => {
    const name = JSON.stringify(args[0]) ?? ''
    const same = running.current.get(name)
    if (same) return same
    const result = mutation.mutateAsync(...args).finally(() => running.current.delete(name))
    running.current.set(name, result)
    return result
  }
  const mutate: typeof mutation.mutate = (...args) => void mutateAsync(...args).catch(() => {})
  return { ...mutation, mutate, mutateAsync }
}

function notifyFailure(error: ApiError): void {
  if (error.status === 412) notifyConflict()
  // The dialog about it says more.
  else if (error.status !== 401) notifyError(error)
}
