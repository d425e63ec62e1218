import {
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useMemo } from 'react'
import { ApiError, type Call, download, goToSignIn, type Query, queryText, request } from './http.ts'
import { notifyDone, notifyError } from './notify.tsx'

/** One of the three APIs, for one customer, one partner or the operator. */
export interface Api {
  name: string
  base: string
  headers: Record<string, string>
  /** Called when the credential is no longer valid. */
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
  get: <Result>(path: string, query?: Query, signal?: AbortSignal) => Promise<Result>
  etagOf: (path: string, signal?: AbortSignal) => Promise<string>
  post: <Result>(path: string, body?: unknown, signal?: AbortSignal) => Promise<Result>
  /** With an ETag the change is refused if someone else was faster. */
  patch: <Result>(path: string, body: unknown, etag?: string) => Promise<Result>
  put: <Result>(path: string, body?: unknown) => Promise<Result>
  remove: <Result>(path: string) => Promise<Result>
  /** Saves the response as a file. */
  save: (path: string, query: Query, name: string) => Promise<void>
}

export function useApi(): Api & Calls {
  const api = useContext(ApiContext)
  if (!api) throw new Error('useApi needs an ApiProvider.')
  return useMemo(() => ({ ...api, ...callsOf(api) }), [api])
}

export function callsOf({ base, headers, onUnauthorized }: Api): Calls {
  const requestHere = async <Result,>(path: string, { headers: more, ...options }: Call) => {
    try {
      return await request<Result>(base + path, { headers: { ...headers, ...more }, ...options })
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) onUnauthorized()
      throw error
    }
  }
  const send = async <Result,>(path: string, options: Call): Promise<Result> =>
    (await requestHere<Result>(path, options)).body
  return {
    get: (path, query, signal) => send(path, { query, signal }),
    post: (path, body = {}, signal) => send(path, { method: 'POST', body, signal }),
    etagOf: async (path, signal) => (await requestHere(path, { signal })).etag,
    patch: (path, body, etag) =>
      send(path, { method: 'PATCH', body, ...(etag ? { headers: { 'if-match': etag } } : {}) }),
    put: (path, body) => send(path, { method: 'PUT', body }),
    remove: (path) => send(path, { method: 'DELETE' }),
    save: (path, query, name) => download(base + path + queryText(query), headers, name),
  }
}

export function useRead<Result>(path: string, query: Query = {}, options: { every?: number; enabled?: boolean } = {}) {
  const api = useApi()
  return useQuery<Result, ApiError>({
    queryKey: [api.name, path, query],
    queryFn: ({ signal }) => api.get<Result>(path, query, signal),
    ...(options.every ? { refetchInterval: options.every } : {}),
    enabled: options.enabled ?? true,
  })
}

/** The version when the component mounted, or after our own last change: sent with a change, it detects that someone else was faster. */
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
export function useAll<Item>(path: string) {
  const list = usePages<Item>(path)
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

interface Change<Input, Result> {
  run: (input: Input) => Promise<Result>
  /** Paths of this API to load again afterwards; their subpaths too. */
  invalidates?: string[]
  /** What a list shows before the response is there; rolled back on an error. */
  optimistic?: (input: Input) => { list: string; id: string; changes: object }
  /** Returns the sentence for the notification, if there is one. */
  done?: (result: Result, input: Input) => unknown
  /** Offered in the notification. */
  undo?: (input: Input) => Promise<unknown>
  /** The page shows errors itself. */
  silent?: boolean
}

/** A request that changes something, with its notifications and what has to be loaded again. */
export function useChange<Input = void, Result = unknown>(change: Change<Input, Result>) {
  const { run, invalidates = [], optimistic, done, undo, silent } = change
  const api = useApi()
  const client = useQueryClient()
  const reload = () =>
    client.invalidateQueries({
      predicate: ({ queryKey: [name, at] }) =>
        name === api.name && typeof at === 'string' && invalidates.some((path) => at.startsWith(path)),
    })
  const undoChange = (input: Input) =>
    undo?.(input)
      .then(() => notifyDone('Undone.'), notifyError)
      .then(reload)
  return useMutation<Result, ApiError, Input, [QueryKey, unknown][]>({
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
      if (typeof sentence === 'string') notifyDone(sentence, undo && (() => void undoChange(input)))
      await reload()
    },
    onError: (error, _input, before) => {
      for (const [key, data] of before ?? []) client.setQueryData(key, data)
      // Someone else was faster: their version replaces the form, so only a notification can say why.
      const conflict = error.status === 412
      if (conflict) void reload()
      if (conflict || !silent) notifyError(error)
    },
  })
}
