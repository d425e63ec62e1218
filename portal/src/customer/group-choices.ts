import { useEffect } from 'react'
import { usePages } from '../api/api.tsx'
import type { Group } from '../api/organization.ts'

/** Every group, page after page: one that is missing from a choice would look as if it did not exist. */
export function useGroupChoices(): { value: string; label: string }[] {
  const { items, hasNextPage, isFetchingNextPage, error, fetchNextPage } = usePages<Group>('/groups')
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !error) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, error, fetchNextPage])
  return items.map(({ id, name }) => ({ value: id, label: name }))
}
