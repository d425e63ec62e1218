import { Box, LoadingOverlay, Paper, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Pages } from '../api/api.tsx'
import { Listed, More } from './listed.tsx'

export interface Column<Item> {
  label: string
  cell: (item: Item) => ReactNode
  /** Left out on a phone. */
  wide?: boolean
  /** A column of buttons has no heading to see, only one to hear. */
  acts?: boolean
}

export interface ListTableProps<Item> {
  list: Pages<Item>
  label: string
  columns: Column<Item>[]
  rowKey: (item: Item) => string
  empty: ReactNode
}

/** A list a page at a time. The first page is shown as soon as it is there; the rest comes when asked for. */
export function ListTable<Item>({ list, label, columns, rowKey, empty }: ListTableProps<Item>) {
  return (
    <Paper withBorder pos="relative">
      <LoadingOverlay visible={list.isPlaceholderData} overlayProps={{ backgroundOpacity: 0.35 }} />
      <Listed list={list} empty={empty}>
        {(items) => (
          <Table.ScrollContainer minWidth={0} type="native">
            <Table aria-label={label}>
              <Table.Thead>
                <Table.Tr>
                  {columns.map((column) => (
                    <Table.Th key={column.label} {...looks(column)}>
                      {column.acts ? <Box className="visually-hidden">{column.label}</Box> : column.label}
                    </Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {items.map((item) => (
                  <Table.Tr key={rowKey(item)}>
                    {columns.map((column) => (
                      <Table.Td key={column.label} {...looks(column)}>
                        {column.cell(item)}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </Listed>
      <More list={list}>Show more</More>
      {!list.hasNextPage && list.items.length > 20 && (
        <Text c="dimmed" size="xs" ta="center" p="xs">
          {list.items.length} in all
        </Text>
      )}
    </Paper>
  )
}

function looks<Item>({ wide, acts }: Column<Item>) {
  return { ...(wide ? { visibleFrom: 'sm' } : {}), ta: acts ? ('right' as const) : ('left' as const) }
}
