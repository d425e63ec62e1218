import { Box, Button, LoadingOverlay, Paper, Table, Text } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { type ListToLoad, LoadedList } from './list.tsx'
import classes from './table.module.css'

export interface Column<Item> {
  label: string
  cell: (item: Item) => ReactNode
  /** Hidden on a phone. */
  wide?: boolean
  mono?: boolean
  /** A column of buttons: its heading is for screen readers only. */
  actions?: boolean
  /** As soon as one column has a width, the layout is fixed and does not change as rows scroll in. */
  width?: number | string
}

/** What a table needs of a list: one whose pages are still loaded, or just its items. */
export interface TableList<Item> extends ListToLoad<Item> {
  hasNextPage?: boolean
  isFetchingNextPage?: boolean
  isPlaceholderData?: boolean
  fetchNextPage?: () => unknown
}

export interface TableProps<Item> {
  list: TableList<Item>
  label: string
  /** What a row is, for the count below: `device`. */
  unit: string
  columns: Column<Item>[]
  rowKey: (item: Item) => string
  /** Where a row leads: the first column is its link. */
  to?: (item: Item) => string
  empty: ReactNode
}

const rowHeight = 41
/** Longer tables scroll in their own box, and only the rows on screen exist. */
const maxPlainRows = 60

/** The next page is loaded as the last rows come into view. */
export function DataTable<Item>({ list, label, unit, columns, rowKey, to, empty }: TableProps<Item>) {
  const scroller = useRef<HTMLDivElement>(null)
  const { items, hasNextPage = false, isFetchingNextPage, isPlaceholderData = false, error, fetchNextPage } = list
  const virtual = items.length > maxPlainRows
  const virtualizer = useVirtualizer({
    count: items.length,
    enabled: virtual,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    getItemKey: (index) => rowKey(items[index]!),
  })
  const window = virtual ? virtualizer.getVirtualItems() : []
  const first = window[0]?.index ?? 0
  const last = virtual ? (window.at(-1)?.index ?? 0) : items.length - 1
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !error && last >= items.length - 30) void fetchNextPage?.()
  }, [last, items.length, hasNextPage, isFetchingNextPage, error, fetchNextPage])
  useEffect(() => {
    if (isPlaceholderData) scroller.current?.scrollTo(0, 0)
  }, [isPlaceholderData])

  if (items.length === 0) {
    return (
      <Paper withBorder>
        <LoadedList list={list} empty={empty}>
          {() => null}
        </LoadedList>
      </Paper>
    )
  }
  const fixed = columns.some(({ width }) => width !== undefined)
  return (
    <Paper withBorder pos="relative" style={{ overflow: 'hidden' }}>
      <LoadingOverlay visible={isPlaceholderData} overlayProps={{ backgroundOpacity: 0.35 }} />
      <Box
        component="section"
        ref={scroller}
        className={`${classes.scroller} ${virtual ? classes.virtual : ''}`}
        aria-label={label}
        // What scrolls must be reachable with the keyboard.
        {...(virtual ? { tabIndex: 0 } : {})}
      >
        <Table
          aria-label={label}
          {...(virtual ? { 'aria-rowcount': hasNextPage ? -1 : items.length + 1 } : {})}
          stickyHeader={virtual}
          highlightOnHover={to !== undefined}
          {...(fixed ? { layout: 'fixed', className: classes.fixed } : {})}
        >
          <Table.Thead className={classes.head}>
            <Table.Tr>
              {columns.map((column) => (
                <Table.Th key={column.label} w={column.width} className={classes.cell} {...propsOf(column)}>
                  {column.actions ? <Box className="visually-hidden">{column.label}</Box> : column.label}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            <Spacer height={window[0]?.start ?? 0} />
            {items.slice(first, last + 1).map((item, offset) => (
              <Table.Tr
                key={rowKey(item)}
                className={classes.row}
                {...(virtual
                  ? {
                      ref: virtualizer.measureElement,
                      'data-index': first + offset,
                      'aria-rowindex': first + offset + 2,
                    }
                  : {})}
              >
                {columns.map((column, index) => (
                  <Table.Td
                    key={column.label}
                    className={`${classes.cell} ${column.mono ? classes.mono : ''}`}
                    {...propsOf(column)}
                  >
                    {to && index === 0 ? (
                      <Link to={to(item)} className={classes.link}>
                        {column.cell(item)}
                      </Link>
                    ) : (
                      column.cell(item)
                    )}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
            <Spacer height={virtual ? virtualizer.getTotalSize() - (window.at(-1)?.end ?? 0) : 0} />
          </Table.Tbody>
        </Table>
      </Box>
      <Box px="sm" py={6} className={classes.foot}>
        <Text size="xs" c="dimmed" aria-live="polite">
          {items.length.toLocaleString('en')} {items.length === 1 ? unit : `${unit}s`}
          {hasNextPage && ' loaded, scroll for more'}
        </Text>
        {error && (
          <Button size="compact-xs" variant="default" onClick={() => void fetchNextPage?.()}>
            Try again
          </Button>
        )}
      </Box>
    </Paper>
  )
}

/** Takes the place of the rows that are not on screen. */
function Spacer({ height }: { height: number }) {
  return height > 0 ? <Table.Tr aria-hidden="true" style={{ height }} /> : null
}

function propsOf<Item>({ wide, actions }: Column<Item>) {
  return {
    ...(wide ? { visibleFrom: 'sm' } : {}),
    ...(actions ? { ta: 'right' as const } : {}),
  }
}
