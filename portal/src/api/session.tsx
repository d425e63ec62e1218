import { type QueryClient, useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { firstData, takeArrived } from './first-reads.ts'
import { type ApiError, read } from './http.ts'
import { type ResponseOf, urlOf } from './operations.ts'

export type Session = ResponseOf<'GET /core/v1/session'>

export function readSession(signal?: AbortSignal): Promise<Session> {
  return read('GET /core/v1/session', {}, { signal })
}

/** The signed-in person and their memberships. */
export function useSession(options: { enabled?: boolean } = {}) {
  return useQuery<Session, ApiError>({
    queryKey: ['session'],
    queryFn: ({ signal }) => readSession(signal),
    ...firstData(
      () => takeArrived(urlOf('GET /core/v1/session')),
      ({ text }) => JSON.parse(text) as Session,
    ),
    staleTime: 60_000,
    retry: false,
    enabled: options.enabled ?? true,
  })
}

/** `told` once the user has closed the dialog about it. */
type End = 'no' | 'ended' | 'told'

let end: End = 'no'
const listeners = new Set<() => void>()

function become(next: End): void {
  if (end === next) return
  end = next
  for (const listener of listeners) listener()
}

/** Called when a request is refused for want of a session; what the user wanted to send is worth telling again. */
export function sessionEnded(wasChange: boolean): void {
  if (end === 'no' || wasChange) become('ended')
}

export const sessionEndTold = () => become('told')
export const sessionRegained = () => become('no')

export function useSessionEnd(): End {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => end,
  )
}

/** Loads everything on the page again, except the versions that open forms are based on. */
export function loadAgain(client: QueryClient): Promise<void> {
  return client.invalidateQueries({
    predicate: ({ queryKey, state }) => queryKey[2] !== 'etag' || state.data === undefined,
  })
}
