import { Button, Checkbox, Popover, Stack } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Icon } from '../page/icon.tsx'
import type { Column } from './table.tsx'

/** A column that can be chosen, under a name that the address and saved views have. */
export interface ChoosableColumn<Item> extends Column<Item> {
  name: string
}

interface ColumnMenuProps<Item> {
  columns: ChoosableColumn<Item>[]
  chosen: string[]
  onChange: (chosen: string[]) => void
}

export function ColumnMenu<Item>({ columns, chosen: inAddress, onChange }: ColumnMenuProps<Item>) {
  // The address follows a moment later: a second click within it must not undo the first.
  const [clicked, setClicked] = useState<string[] | null>(null)
  const chosen = clicked ?? inAddress
  useEffect(() => {
    if (clicked && (clicked.join() || 'none') === inAddress.join()) setClicked(null)
  }, [clicked, inAddress])
  const toggle = (name: string) => {
    const names = columns.map((column) => column.name).filter((one) => chosen.includes(one) !== (one === name))
    setClicked(names)
    onChange(names)
  }
  return (
    <Popover position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        {/* A phone shows the columns that fit, whatever is chosen. */}
        <Button variant="default" leftSection={<Icon name="columns" size={16} />} visibleFrom="sm">
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns">
        <Stack gap="xs">
          {columns.map(({ name, label }) => (
            <Checkbox key={name} label={label} checked={chosen.includes(name)} onChange={() => toggle(name)} />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

/** The columns of the address, else those that this browser showed last, else the usual ones. */
export function readColumns(inAddress: string | null, storageName: string, usual: string[]): string[] {
  return (inAddress ?? localStorage.getItem(storageName))?.split(',') ?? usual
}

/** An empty text would not be in the address. */
export function writeColumns(chosen: string[], storageName: string): string {
  const text = chosen.join(',') || 'none'
  localStorage.setItem(storageName, text)
  return text
}
