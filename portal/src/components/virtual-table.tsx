import { Box, Button, LoadingOverlay, Paper, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'react-router'
import type { Pages } from '../api/api.tsx'
import { Listed } from './listed.tsx'
import classes from './virtual-table.module.css'

export interface VirtualColumn<Item> {
  label: string
  cell: (item: Item) => ReactNode
  width: string
  /** Left out on a phone. */
  wide?: boolean
  mono?: boolean
  /** The cell that carries the link. */
  main?: boolean
}

interface VirtualTableProps<Item> {
  list: Pages<Item>
  label: string
  columns: VirtualColumn<Item>[]
  rowKey: (item: Item) => string
  to: (item: Item) => string
  empty: ReactNode
}

const rowHeight = 41

/** Only the rows on screen exist, and the next page is asked for as the last ones come into sight. */
export function VirtualTable<Item>({ list, label, columns, rowKey, to, empty }: VirtualTableProps<Item>) {
  const scroller = useRef<HTMLDivElement>(null)
  const phone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  const shown = phone ? columns.filter(({ wide }) => !wide) : columns
  const template = shown.map(({ width }) => `minmax(0, ${width})`.replace(/minmax\(0, (\d+px)\)/, '$1')).join(' ')
  const { items, hasNextPage, isFetchingNextPage, isPlaceholderData, error } = list
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    getItemKey: (index) => rowKey(items[index]!),
  })
  const last = rows.getVirtualItems().at(-1)?.index ?? 0
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !error && last >= items.length - 30) void list.fetchNextPage()
  }, [last, items.length, hasNextPage, isFetchingNextPage, error, list.fetchNextPage])

  if (items.length === 0) {
    return (
      <Paper withBorder>
        <Listed list={list} empty={empty}>
          {() => null}
        </Listed>
      </Paper>
    )
  }
  return (
    <Paper withBorder pos="relative" style={{ overflow: 'hidden' }}>
      <LoadingOverlay visible={isPlaceholderData} overlayProps={{ backgroundOpacity: 0.35 }} />
      <section
        ref={scroller}
        className={classes.scroller}
        style={{ height: `min(${rows.getTotalSize() + 42}px, max(320px, calc(100vh - 250px)))` }}
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        tabIndex={0}
      >
        <table aria-label={label} aria-rowcount={hasNextPage ? -1 : items.length + 1} className={classes.table}>
          <thead className={classes.head}>
            <tr className={classes.row} style={{ gridTemplateColumns: template }}>
              {shown.map((column) => (
                <th key={column.label} className={classes.cell}>
                  {column.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className={classes.body} style={{ height: rows.getTotalSize() }}>
            {rows.getVirtualItems().map((virtual) => {
              const item = items[virtual.index]!
              return (
                <tr
                  aria-rowindex={virtual.index + 2}
                  key={virtual.key}
                  className={`${classes.row} ${classes.item}`}
                  style={{
                    gridTemplateColumns: template,
                    transform: `translateY(${virtual.start}px)`,
                    height: rowHeight,
                  }}
                >
                  {shown.map((column) => (
                    <td key={column.label} className={`${classes.cell} ${column.mono ? classes.mono : ''}`}>
                      {column.main ? (
                        <Link to={to(item)} className={classes.link}>
                          {column.cell(item)}
                        </Link>
                      ) : (
                        column.cell(item)
                      )}
                    </td>
                  ))}
                </tr>
              )
            })}
          </tbody>
        </table>
      </section>
      <Box px="sm" py={6} className={classes.foot}>
        <Text size="xs" c="dimmed" aria-live="polite">
          {items.length.toLocaleString('en')} loaded{hasNextPage ? '; scroll for more' : ', that is all of them'}
        </Text>
        {error && (
          <Button size="compact-xs" variant="default" onClick={() => void list.fetchNextPage()}>
            Try again
          </Button>
        )}
      </Box>
    </Paper>
  )
}
