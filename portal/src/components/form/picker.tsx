import { Select, type SelectProps, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'

export interface Choice {
  value: string
  label: string
  /** A second line, shown where labels are alike. */
  about?: string
}

export type PickerProps = Omit<SelectProps, 'data' | 'searchable' | 'searchValue' | 'onSearchChange'>

interface SearchProps<Item> extends PickerProps {
  /** What the service finds, or the first where nothing is searched for. */
  useFound: (search: { limit: number; search: string | undefined }) => { items: Item[]; isPending: boolean }
  useOne: (id: string, options: { enabled: boolean }) => { data: Item | undefined }
  choiceOf: (item: Item) => Choice
  /** Always offered, before what is found. */
  first?: Choice[]
  /** Items that cannot be chosen here. */
  without?: (item: Item) => boolean
}

const shown = 50

/** A choice among more than can be loaded: the service searches, and the closest are offered. */
export function Picker<Item>({
  useFound,
  useOne,
  choiceOf,
  first = [],
  without = () => false,
  value = null,
  onChange,
  ...rest
}: SearchProps<Item>) {
  const [chosen, setChosen] = useState<Choice | null>(null)
  const [typed, setTyped] = useState('')
  const known = first.find((choice) => choice.value === value) ?? (chosen?.value === value ? chosen : null)
  const read = useOne(value ?? '', { enabled: value !== null && known === null })
  const selected = value === null ? null : (known ?? (read.data ? choiceOf(read.data) : { value, label: '…' }))
  // The field shows the label of what is chosen: that is no search.
  const [search] = useDebouncedValue(typed === selected?.label ? '' : typed.trim(), 200)
  const found = useFound({ limit: shown, search: search || undefined })
  const choices = [
    ...first,
    ...found.items
      .slice(0, shown)
      .filter((item) => !without(item))
      .map(choiceOf),
  ]
  const data = selected && !choices.some((choice) => choice.value === selected.value) ? [selected, ...choices] : choices
  const alike = Map.groupBy(data, ({ label }) => label)
  const about = new Map(data.map((choice) => [choice.value, alike.get(choice.label)!.length > 1 && choice.about]))
  return (
    <Select
      {...rest}
      data={data.map(({ value: id, label }) => ({ value: id, label }))}
      value={value}
      onChange={(id, option) => {
        setChosen(data.find((choice) => choice.value === id) ?? null)
        onChange?.(id, option)
      }}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <div>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {option.label}
          </Text>
          {about.get(option.value) && (
            <Text size="xs" c="dimmed">
              {about.get(option.value)}
            </Text>
          )}
        </div>
      )}
      nothingFoundMessage={found.isPending ? 'Searching…' : 'No match'}
    />
  )
}
