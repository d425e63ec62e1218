import { Box, Button, Group, LoadingOverlay, Paper, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ApiError } from '../api/http.ts'
import { Failure, Loading } from './page.tsx'

export interface Column<Item> {
  label: string
  cell: (item: Item) => ReactNode
  /** Left out on a phone. */
  wide?: boolean
  /** A column of buttons has no heading to see, only one to hear. */
  hidden?: boolean
  width?: number | string
  align?: 'left' | 'right'
}

interface Pages<Item> {
  items: Item[]
  error: ApiError | null
  isPending: boolean
  isPlaceholderData?: boolean
  hasNextPage?: boolean
  isFetchingNextPage?: boolean
  fetchNextPage?: () => unknown
  refetch: () => unknown
}

interface ListTableProps<Item> {
  list: Pages<Item>
  label: string
  columns: Column<Item>[]
  rowKey: (item: Item) => string
  onRow?: (item: Item) => void
  empty: ReactNode
}

/** A list a page at a time. The first page is shown as soon as it is there; the rest comes when asked for. */
export function ListTable<Item>({ list, label, columns, rowKey, onRow, empty }: ListTableProps<Item>) {
  if (list.error && list.items.length === 0) return <Failure error={list.error} retry={() => void list.refetch()} />
  if (list.isPending) {
    return (
      <Paper withBorder p="md">
        <Loading />
      </Paper>
    )
  }
  if (list.items.length === 0) return <Paper withBorder>{empty}</Paper>
  return (
    <Paper withBorder pos="relative">
      <LoadingOverlay visible={list.isPlaceholderData ?? false} overlayProps={{ backgroundOpacity: 0.35 }} />
      <Table.ScrollContainer minWidth={0} type="native">
        <Table aria-label={label} highlightOnHover={Boolean(onRow)}>
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ label: heading, wide, hidden, width, align }) => (
                <Table.Th key={heading} {...(wide ? { visibleFrom: 'sm' } : {})} w={width} ta={align ?? 'left'}>
                  {hidden ? <Box className="visually-hidden">{heading}</Box> : heading}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {list.items.map((item) => (
              <Table.Tr
                key={rowKey(item)}
                {...(onRow ? { onClick: () => onRow(item), className: 'clickable-row' } : {})}
              >
                {columns.map(({ label: heading, cell, wide, align }) => (
                  <Table.Td key={heading} {...(wide ? { visibleFrom: 'sm' } : {})} ta={align ?? 'left'}>
                    {cell(item)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {list.hasNextPage && (
        <Group justify="center" p="sm">
          <Button
            variant="default"
            size="xs"
            loading={list.isFetchingNextPage ?? false}
            onClick={() => void list.fetchNextPage?.()}
          >
            Show more
          </Button>
        </Group>
      )}
      {!list.hasNextPage && list.items.length > 20 && (
        <Text c="dimmed" size="xs" ta="center" p="xs">
          {list.items.length} in all
        </Text>
      )}
    </Paper>
  )
}
