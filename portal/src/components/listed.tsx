import { Box, Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Pages } from '../api/api.tsx'
import { Failure, Loading } from './page.tsx'

interface ListedProps<Item> {
  list: Pages<Item>
  empty: ReactNode
  children: (items: Item[]) => ReactNode
}

/** A list waits, fails, teaches the first step or shows: no page has to remember all four. */
export function Listed<Item>({ list, empty, children }: ListedProps<Item>) {
  if (list.items.length > 0) return children(list.items)
  if (list.error) return <Failure error={list.error} retry={() => void list.refetch()} />
  if (!list.isPending) return empty
  return (
    <Box p="md">
      <Loading />
    </Box>
  )
}

/** The next page, when asked for. */
export function More({ list, children }: { list: Pages<unknown>; children: ReactNode }) {
  if (!list.hasNextPage) return null
  return (
    <Group justify="center" p="sm">
      <Button variant="default" size="xs" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {children}
      </Button>
    </Group>
  )
}
