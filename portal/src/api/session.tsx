import { useQuery } from '@tanstack/react-query'
import { type ApiError, call } from './http.ts'

export interface Session {
  user: { id: string; name: string; email: string }
  customers: { id: string; name: string; lab: boolean; role: 'administrator' | 'member' }[]
  partners: { id: string; name: string }[]
}

/** Who is signed in, and where they belong. */
export function useSession() {
  return useQuery<Session, ApiError>({
    queryKey: ['session'],
    queryFn: ({ signal }) => call<Session>('/core/v1/session', { signal }),
    staleTime: 60_000,
    retry: false,
  })
}
