import { Box, Button, Checkbox, LoadingOverlay, Paper, Table, Text, UnstyledButton } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { Link, useNavigate } from 'react-router'
import { Icon } from '../page/icon.tsx'
import { usePrinting } from '../page/printing.ts'
import { type ListToLoad, LoadedList } from './list.tsx'
import { usePlace } from './place.ts'
import { openRow } from './row-click.ts'
import { useRowKeys } from './row-keys.ts'
import type { Selection } from './selection.ts'
import classes from './table.module.css'

export interface Column<Item> {
  label: string
  cell: (item: Item) => ReactNode
  /** Hidden on a phone; `lg` and `xl`: also where the other columns would be cut. */
  wide?: boolean | 'lg' | 'xl'
  mono?: boolean
  /** A column of buttons: its heading is for screen readers only. */
  actions?: boolean
  /** The name of its order; absent where the list cannot be sorted by it. */
  sort?: string | undefined
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

/** How many items match in all; with `more`, at least as many. */
export interface Total {
  total: number
  more: boolean
}

/** `name`, or `-name` the other way round; null for the list's own order. */
export interface Sorting {
  value: string | null
  set: (value: string | null) => void
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
  /** What a phone, which has the first columns only, shows below the first. */
  below?: (item: Item) => ReactNode
  empty: ReactNode
  /** Names what the list shows, such as its search and filters: something else begins at the top. */
  listKey?: string
  total?: Total | undefined
  sorting?: Sorting
  selection?: Selection
  /** What can be done with the selected rows; below them, so that nothing moves when it appears. */
  selected?: ReactNode
  /** What a row is called, for its checkbox. */
  nameOf?: (item: Item) => string
}

const rowHeight = 41
/** Longer tables scroll in their own box, and only the rows on screen exist. */
const maxPlainRows = 60

/** The next page is loaded as the last rows come into view. */
export function DataTable<Item>(props: TableProps<Item>) {
  const { list, label, unit, columns, rowKey, to, below, empty, listKey, total, sorting, selection, selected, nameOf } =
    props
  const navigate = useNavigate()
  const scroller = useRef<HTMLDivElement>(null)
  const { items, hasNextPage = false, isFetchingNextPage, isPlaceholderData = false, error, fetchNextPage } = list
  const printing = usePrinting()
  const virtual = items.length > maxPlainRows && !printing
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
    if (printing || !hasNextPage || isFetchingNextPage || error) return
    if (last >= items.length - 30) void fetchNextPage?.()
  }, [printing, last, items.length, hasNextPage, isFetchingNextPage, error, fetchNextPage])
  useEffect(() => {
    if (isPlaceholderData) scroller.current?.scrollTo(0, 0)
  }, [isPlaceholderData])
  usePlace(scroller, listKey, items.length > 0 && !isPlaceholderData)
  const keys = useMemo(() => items.map(rowKey), [items, rowKey])
  const show = (index: number) => virtual && virtualizer.scrollToIndex(index)
  const onKeyDown = useRowKeys({ scroller, keys, selection, show })
  const every = items.length > 0 && keys.every((key) => selection?.has(key))

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
    <Paper withBorder pos="relative" className={classes.frame}>
      <LoadingOverlay visible={isPlaceholderData} overlayProps={{ backgroundOpacity: 0.35 }} />
      <Box
        component="section"
        ref={scroller}
        className={`${classes.scroller} ${virtual ? classes.virtual : ''}`}
        aria-label={label}
        {...(to ? { onKeyDown } : {})}
        // What scrolls must be reachable with the keyboard.
        {...(virtual ? { tabIndex: 0 } : {})}
      >
        <Table
          aria-label={label}
          {...(virtual ? { 'aria-rowcount': hasNextPage ? -1 : items.length + 1 } : {})}
          stickyHeader={virtual}
          highlightOnHover={to !== undefined}
          mod={{ opens: to !== undefined }}
          {...(fixed ? { layout: 'fixed', className: classes.fixed, style: leastWidths(columns) } : {})}
        >
          <Table.Thead className={classes.head}>
            <Table.Tr>
              {selection && (
                <Table.Th w={selectWidth} className={`${classes.select} no-print`}>
                  <Checkbox
                    size="xs"
                    aria-label={every ? 'Deselect all' : `Select all loaded ${unit}s`}
                    checked={every}
                    indeterminate={!every && selection.size > 0}
                    onChange={() => (every ? selection.clear() : selection.all(keys))}
                  />
                </Table.Th>
              )}
              {columns.map((column) => (
                <Heading key={column.label} column={column} sorting={sorting} />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            <Spacer height={window[0]?.start ?? 0} />
            {items.slice(first, last + 1).map((item, offset) => (
              <Table.Tr
                key={rowKey(item)}
                className={classes.row}
                data-row={first + offset}
                {...(to ? { onClick: (event) => openRow(event, to(item), navigate) } : {})}
                {...(to ? { onAuxClick: (event) => openRow(event, to(item), navigate) } : {})}
                {...(selection ? { 'aria-selected': selection.has(rowKey(item)) } : {})}
                {...(virtual
                  ? {
                      ref: virtualizer.measureElement,
                      'data-index': first + offset,
                      'aria-rowindex': first + offset + 2,
                    }
                  : {})}
              >
                {selection && (
                  <Table.Td className={`${classes.select} no-print`}>
                    <Checkbox
                      size="xs"
                      aria-label={`Select ${nameOf?.(item) ?? unit}`}
                      checked={selection.has(rowKey(item))}
                      // A row has one stop for Tab; Space selects it there.
                      tabIndex={-1}
                      onChange={({ nativeEvent }) =>
                        selection.toggle(keys, first + offset, (nativeEvent as unknown as MouseEvent).shiftKey)
                      }
                    />
                  </Table.Td>
                )}
                {columns.map((column, index) => {
                  const content = column.cell(item)
                  return (
                    <Table.Td
                      key={column.label}
                      className={`${classes.cell} ${column.mono ? classes.mono : ''}`}
                      {...propsOf(column)}
                      // What is cut can be read in the tooltip.
                      {...(fixed && typeof content === 'string' ? { title: content } : {})}
                    >
                      {to && index === 0 ? (
                        <Link to={to(item)} className={classes.link}>
                          {content}
                        </Link>
                      ) : (
                        content
                      )}
                      {below && index === 0 && (
                        <Text size="xs" c="dimmed" component="div" hiddenFrom="sm" className="no-print">
                          {below(item)}
                        </Text>
                      )}
                    </Table.Td>
                  )
                })}
              </Table.Tr>
            ))}
            <Spacer height={virtual ? virtualizer.getTotalSize() - (window.at(-1)?.end ?? 0) : 0} />
          </Table.Tbody>
        </Table>
      </Box>
      <Box px="sm" py={6} className={classes.foot}>
        <Text size="xs" c="dimmed" aria-live="polite">
          {countText(items.length, hasNextPage, unit, total)}
        </Text>
        {selection && selection.size === 0 && (
          <Text size="xs" c="dimmed" visibleFrom="md" className="no-print">
            <kbd>↑</kbd> <kbd>↓</kbd> move · <kbd>Space</kbd> select · <kbd>Shift</kbd> several · <kbd>Enter</kbd> open
          </Text>
        )}
        {selection && selection.size > 0 && selected}
        {error && (
          <Button size="compact-xs" variant="default" onClick={() => void fetchNextPage?.()}>
            Try again
          </Button>
        )}
      </Box>
    </Paper>
  )
}

const selectWidth = 40

/** So that no column is cut to nothing where many are chosen: the table then scrolls sideways. */
function leastWidths<Item>(columns: Column<Item>[]) {
  const sum = (shown: Column<Item>[]) =>
    shown.reduce((all, { width }, index) => all + (typeof width === 'number' ? width : index === 0 ? 200 : 120), 40)
  const hidden = { sm: ['lg', 'xl'], lg: ['xl'], xl: [] as string[] }
  const least = Object.entries(hidden).map(([from, without]) => [
    `--least-${from}`,
    `${sum(columns.filter(({ wide }) => !without.includes(String(wide))))}px`,
  ])
  return Object.fromEntries(least)
}

/** “1,560 devices”, or while not all are loaded, “100 of 1,560 devices” and “100 of 10,000+ devices”. */
function countText(loaded: number, hasMore: boolean, unit: string, total: Total | undefined): string {
  const number = loaded.toLocaleString('en')
  const isAll = !hasMore || (total && !total.more && total.total <= loaded)
  if (isAll) return `${number} ${loaded === 1 ? unit : `${unit}s`}`
  if (!total) return `${number} ${unit}s loaded, scroll for more`
  return `${number} of ${totalText(total, loaded)} ${unit}s`
}

/** Where counting stopped, a round number: what is left out of it matters no more. */
function totalText({ total, more }: Total, loaded: number): string {
  if (!more) return Math.max(total, loaded).toLocaleString('en')
  const size = 10 ** Math.floor(Math.log10(Math.max(total, 1)))
  return `${Math.max(Math.floor(total / size) * size, loaded).toLocaleString('en')}+`
}

function Heading<Item>({ column, sorting }: { column: Column<Item>; sorting: Sorting | undefined }) {
  const { label, width, sort, actions } = column
  const cell = { w: width, className: classes.cell, ...propsOf(column) }
  if (!sort || !sorting) {
    return <Table.Th {...cell}>{actions ? <Box className="visually-hidden">{label}</Box> : label}</Table.Th>
  }
  const direction = sorting.value === sort ? 'ascending' : sorting.value === `-${sort}` ? 'descending' : 'none'
  const next = { none: sort, ascending: `-${sort}`, descending: null }[direction]
  return (
    <Table.Th {...cell} aria-sort={direction}>
      <UnstyledButton className={classes.sort} onClick={() => sorting.set(next)}>
        {label}
        <span className={classes.direction} data-direction={direction}>
          <Icon name="down" size={14} />
        </span>
      </UnstyledButton>
    </Table.Th>
  )
}

/** Takes the place of the rows that are not on screen. */
function Spacer({ height }: { height: number }) {
  return height > 0 ? <Table.Tr aria-hidden="true" style={{ height }} /> : null
}

function propsOf<Item>({ wide, actions }: Column<Item>) {
  return {
    ...(wide ? { visibleFrom: wide === true ? 'sm' : wide } : {}),
    ...(actions ? { ta: 'right' as const } : {}),
  }
}
