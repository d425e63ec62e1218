import { Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { type KeyboardEvent, useState } from 'react'
import { Icon } from '../components/page/icon.tsx'
import { NoMatch } from '../components/table/filters.tsx'
import { amount } from './amount.ts'
import type { FoundSpaces } from './space-tree.ts'

interface SearchSpacesProps {
  value: string
  onChange: (text: string) => void
  found: FoundSpaces | null
  /** More spaces are still on their way. */
  loading: boolean
}

/** Arrow down leads to the first match, Escape back to the whole tree. */
export function SearchSpaces({ value, onChange, found, loading }: SearchSpacesProps) {
  const [typed, setTyped] = useState(value)
  const send = useDebouncedCallback(onChange, 120)
  const clear = () => {
    setTyped('')
    onChange('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') {
      event.preventDefault()
      // Whichever of the two trees is shown.
      const rows = [...document.querySelectorAll<HTMLElement>('[role=treeitem][tabindex="0"]')]
      rows.find((row) => row.checkVisibility())?.focus()
    } else if (event.key === 'Escape' && typed) {
      event.preventDefault()
      clear()
    }
  }
  return (
    <>
      <TextInput
        aria-label="Search spaces"
        placeholder="Search spaces"
        type="search"
        leftSection={<Icon name="search" size={16} />}
        maxLength={200}
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value)
          send(currentTarget.value.trim())
        }}
        onKeyDown={onKeyDown}
        mb="xs"
      />
      <div role="status">
        {found && (found.total > 0 || loading) && (
          <Text size="xs" c="dimmed" px={6} mb={4}>
            {countText(found, loading)}
          </Text>
        )}
        {found?.total === 0 && !loading && (
          <NoMatch title="No space found" onClear={clear}>
            No space has this name.
          </NoMatch>
        )}
      </div>
    </>
  )
}

function countText({ total, matches }: FoundSpaces, loading: boolean): string {
  const rest = loading ? ' so far' : ''
  if (total === 0) return 'Searching…'
  if (total > matches.size) return `${amount(total, 'space')}${rest}, the first ${matches.size} are shown`
  return `${amount(total, 'space')}${rest}`
}
