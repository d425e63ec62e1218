import { useQuery } from '@tanstack/react-query'
import type { Responses } from './generated.ts'
import { type ApiError, call } from './http.ts'

export type Session = Responses['GET /core/v1/session']

/** The signed-in person and their memberships. */
export function useSession() {
  return useQuery<Session, ApiError>({
    queryKey: ['session'],
    queryFn: ({ signal }) => call<Session>('/core/v1/session', { signal }),
    staleTime: 60_000,
    retry: false,
  })
}
