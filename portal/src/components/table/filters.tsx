import { Button, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { type ComponentType, type ReactNode, useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import type { PickerProps } from '../form/picker.tsx'
import { Icon } from '../page/icon.tsx'
import { Empty } from '../page/page.tsx'

/** Search and filters are in the address: a filtered list can be shared as a link, and Back undoes a filter. */
export function useFilters<Name extends string>(...names: Name[]) {
  const [search, setSearch] = useSearchParams()
  const values = Object.fromEntries(names.map((name) => [name, search.get(name)])) as Record<Name, string | null>
  const setAll = (changes: Record<string, string | null>, options?: { replace: boolean }) => {
    // From the address itself: React's value may be older than a filter that was just set.
    const now = new URLSearchParams(location.search)
    for (const [name, value] of Object.entries(changes)) {
      if (value) now.set(name, value)
      else now.delete(name)
    }
    setSearch(now, options)
  }
  const set = (name: Name, value: string | null, options?: { replace: boolean }) => setAll({ [name]: value }, options)
  const clear = () => setAll(Object.fromEntries(names.map((name) => [name, null])))
  return { values, set, setAll, any: names.some((name) => values[name]), clear }
}

export interface FilterProps<Name extends string> {
  filters: ReturnType<typeof useFilters<Name>>
  name: NoInfer<Name>
  label: string
  placeholder: string
}

interface SelectFilterProps<Name extends string> extends FilterProps<Name> {
  data: (string | { value: string; label: string })[]
  onDropdownOpen?: () => void
  w: number
}

export function SelectFilter<Name extends string>({ filters, name, label, data, ...look }: SelectFilterProps<Name>) {
  return (
    <Select
      aria-label={label}
      data={data}
      value={filters.values[name]}
      onChange={(value: string | null) => filters.set(name, value)}
      searchable={data.length > 6}
      clearable
      className="filter"
      {...look}
    />
  )
}

interface PickerFilterProps<Name extends string> extends FilterProps<Name> {
  picker: ComponentType<PickerProps>
  w: number
}

/** A filter among more choices than can be loaded. */
export function PickerFilter<Name extends string>({
  filters,
  name,
  label,
  picker: Choices,
  ...look
}: PickerFilterProps<Name>) {
  return (
    <Choices
      aria-label={label}
      value={filters.values[name]}
      onChange={(value) => filters.set(name, value)}
      clearable
      className="filter"
      {...look}
    />
  )
}

export function SearchFilter<Name extends string>({ filters, name, label, placeholder }: FilterProps<Name>) {
  const applied = filters.values[name] ?? ''
  const [typed, setTyped] = useState(applied)
  const sent = useRef(applied)
  const send = useDebouncedCallback((text: string) => {
    sent.current = text
    filters.set(name, text, { replace: true })
  }, 250)
  // Back and “Clear filters” change the address, so the field has to follow.
  useEffect(() => {
    if (applied === sent.current) return
    sent.current = applied
    setTyped(applied)
  }, [applied])
  return (
    <TextInput
      aria-label={label}
      placeholder={placeholder}
      leftSection={<Icon name="search" size={16} />}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        send(event.currentTarget.value.trim())
      }}
      style={{ flex: '1 1 220px' }}
    />
  )
}

export function NoMatch({ title, onClear, children }: { title: string; onClear: () => void; children: ReactNode }) {
  return (
    <Empty
      icon="search"
      title={title}
      action={
        <Button variant="default" onClick={onClear}>
          Clear filters
        </Button>
      }
    >
      {children}
    </Empty>
  )
}
