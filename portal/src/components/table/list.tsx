import { Box, Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Pages } from '../../api/api.tsx'
import type { ApiError } from '../../api/http.ts'
import { Failure, Loading } from '../page/page.tsx'

export interface ListToLoad<Item> {
  items: Item[]
  isPending?: boolean
  error?: ApiError | null
  refetch?: () => unknown
}

interface LoadedListProps<Item> {
  list: ListToLoad<Item>
  empty: ReactNode
  children: (items: Item[]) => ReactNode
}

/** Shows the items, or that they are loading, that they could not be loaded, or that there are none. */
export function LoadedList<Item>({ list, empty, children }: LoadedListProps<Item>) {
  if (list.items.length > 0) return children(list.items)
  if (list.error) return <Failure error={list.error} retry={() => void list.refetch?.()} />
  if (!list.isPending) return empty
  return (
    <Box p="md">
      <Loading />
    </Box>
  )
}

export function LoadMore({ list, children }: { list: Pages<unknown>; children: ReactNode }) {
  if (!list.hasNextPage) return null
  return (
    <Group justify="center" p="sm">
      <Button variant="default" size="xs" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {children}
      </Button>
    </Group>
  )
}
