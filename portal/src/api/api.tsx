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
import { type Api, bodyOf, type Calls, callsOf, type Kind, versionOf } from './calls.ts'
import { firstData, takeArrived } from './first-reads.ts'
import type { ApiError } from './http.ts'
import { notifyConflict, notifyDone, notifyError } from './notify.tsx'
import {
  addressOf,
  type ItemOf,
  type ListRead,
  type ParametersOf,
  queryText,
  type Read,
  type Reload,
  type ResponseOf,
  reloadPath,
  type WithParameters,
} from './operations.ts'

const ApiContext = createContext<Api | null>(null)

export function ApiProvider({ api, children }: { api: Api; children: ReactNode }) {
  return <ApiContext value={api}>{children}</ApiContext>
}

/** What several portals show says with which of the APIs. */
export function useApi<Some extends Kind = Kind>(...kinds: Some[]): Api & Calls & { kind: Some } {
  const api = useContext(ApiContext)
  if (!api) throw new Error('useApi needs an ApiProvider.')
  if (kinds.length > 0 && !kinds.some((kind) => kind === api.kind)) throw new Error(`Not with the ${api.kind} API.`)
  return useMemo(() => ({ ...api, kind: api.kind as Some, ...callsOf(api) }), [api])
}

interface ReadOptions {
  every?: number
  enabled?: boolean
  /** Makes it another read: what is there has changed. */
  revision?: number
}

export function useRead<Name extends Read>(
  name: Name,
  ...[parameters, options = {}]: WithParameters<Name, [ReadOptions?]>
) {
  const api = useApi()
  const { path, query } = addressOf(name, parameters)
  const { queryKey, queryFn } = readQuery(api, name, parameters as ParametersOf<Name>)
  return useQuery<ResponseOf<Name>, ApiError>({
    queryKey: [...queryKey, ...(options.revision === undefined ? [] : [options.revision])],
    queryFn,
    ...firstData(
      () => takeArrived(path + queryText(query), api.headers),
      (arrived) => bodyOf<ResponseOf<Name>>(arrived),
    ),
    ...(options.every ? { refetchInterval: options.every } : {}),
    enabled: options.enabled ?? true,
  })
}

/** For several reads at once; they share what `useRead` has read. */
export function readQuery<Name extends Read>(api: Api & Calls, name: Name, parameters: ParametersOf<Name>) {
  const { path, query } = addressOf(name, parameters)
  return {
    queryKey: [api.name, path, query],
    queryFn: ({ signal }: { signal: AbortSignal }) => api.read(name, ...withSignal(parameters, signal)),
  }
}

function withSignal<Name extends Read>(parameters: ParametersOf<Name>, signal: AbortSignal) {
  return [parameters, signal] as WithParameters<Name, [AbortSignal]>
}

/**
 * The version when the component mounted, or after our own last change: sent with a change, it detects that someone else
 * was faster. A form waits for it, because a change without it would overwrite anything.
 */
export function useEtag<Name extends Read>(name: Name, ...[parameters]: WithParameters<Name>): string | undefined {
  const api = useApi()
  const { data } = useQuery({
    queryKey: [api.name, addressOf(name, parameters).path, 'etag'],
    queryFn: ({ signal }) => api.etagOf(name, ...withSignal(parameters as ParametersOf<Name>, signal)),
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
export function usePages<Name extends ListRead>(name: Name, ...given: WithParameters<Name, [ReadOptions?]>) {
  return useListPages<ItemOf<Name>, ResponseOf<Name> & Page<ItemOf<Name>>>(name, ...given)
}

function useListPages<Item, Response extends Page<Item> = Page<Item>>(
  name: ListRead,
  parameters: object = {},
  options: ReadOptions = {},
) {
  const api = useApi()
  const { path, query } = addressOf(name, parameters)
  const pages = useInfiniteQuery({
    queryKey: [api.name, path, 'pages', query],
    queryFn: ({ signal, pageParam }) =>
      api.read(name, { limit: 100, ...parameters, after: pageParam ?? undefined }, signal) as Promise<Response>,
    ...firstData(
      () => takeArrived(path + queryText({ limit: 100, ...query }), api.headers),
      (arrived) => ({ pages: [bodyOf<Response>(arrived)], pageParams: [null as string | null] }),
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

export type Pages<Item> = ReturnType<typeof useListPages<Item>>

/** The whole list, page after page: for choices, where a missing item would seem not to exist. */
export function useAll<Name extends ListRead>(name: Name, ...given: WithParameters<Name, [ReadOptions?]>) {
  const list = usePages(name, ...given)
  const { hasNextPage, isFetchingNextPage, error, fetchNextPage } = list
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !error) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, error, fetchNextPage])
  return list
}

/** Replaces each item by what `change` returns for it: one item, or none to remove it. */
export function changeItems<Item>(
  data: InfiniteData<Page<Item>> | undefined,
  change: (item: Item) => Item[],
): InfiniteData<Page<Item>> | undefined {
  return data && { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.flatMap(change) })) }
}

export interface Change<Input, Result> {
  run: (input: Input) => Promise<Result>
  /** What to load again afterwards, with all below it. */
  invalidates?: readonly Reload[]
  /** What a list shows before the response is there; rolled back on an error. */
  optimistic?: (input: Input) => { list: ListRead; id: string; changes: object }
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
  const reload = () => {
    const paths = invalidates.map(reloadPath)
    return client.invalidateQueries({
      predicate: ({ queryKey: [name, at] }) =>
        name === api.name && typeof at === 'string' && paths.some((path) => at.startsWith(path)),
    })
  }
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
      const queryKey = [api.name, addressOf(list).path, 'pages']
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
