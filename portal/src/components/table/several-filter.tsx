import { CheckIcon, Combobox, Group, InputBase, useCombobox } from '@mantine/core'
import type { FilterProps } from './filters.tsx'

interface SeveralFilterProps<Name extends string> extends FilterProps<Name> {
  data: { value: string; label: string }[]
  w: number
}

/** A filter that takes several values, in the address as `error,offline`. */
export function SeveralFilter<Name extends string>(props: SeveralFilterProps<Name>) {
  const { filters, name, label, placeholder, data, w } = props
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const values = filters.values[name]?.split(',') ?? []
  // In one order, whatever was chosen first: the same filter has the same address.
  const chosen = data.filter(({ value }) => values.includes(value))
  const toggle = (one: string) => {
    const next = data.filter(({ value }) => values.includes(value) !== (value === one))
    filters.set(name, next.map(({ value }) => value).join(',') || null)
  }
  const shown = chosen.map((one) => one.label).join(', ')
  return (
    <Combobox store={combobox} onOptionSubmit={toggle}>
      <Combobox.Target targetType="button" withExpandedAttribute>
        <InputBase
          component="button"
          type="button"
          pointer
          role="combobox"
          aria-label={shown ? `${label}: ${shown}` : label}
          title={shown}
          className="filter"
          w={w}
          rightSection={
            chosen.length > 0 ? <Combobox.ClearButton onClear={() => filters.set(name, null)} /> : <Combobox.Chevron />
          }
          rightSectionPointerEvents={chosen.length > 0 ? 'all' : 'none'}
          onClick={() => combobox.toggleDropdown()}
          styles={{ input: { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' } }}
        >
          {shown || <span style={{ color: 'var(--mantine-color-placeholder)' }}>{placeholder}</span>}
        </InputBase>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options aria-label={label} aria-multiselectable>
          {data.map((option) => (
            <Combobox.Option
              key={option.value}
              value={option.value}
              active={chosen.includes(option)}
              aria-selected={chosen.includes(option)}
            >
              <Group gap="xs" wrap="nowrap">
                <CheckIcon size={12} style={{ opacity: chosen.includes(option) ? 1 : 0 }} />
                {option.label}
              </Group>
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}
