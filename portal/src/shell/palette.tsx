import { Box, Group, Modal, Text, TextInput, VisuallyHidden } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { Icon } from '../components/page/icon.tsx'
import type { NavGroup } from './nav.ts'
import { type Choice, useChoices } from './palette-choices.ts'

interface PaletteProps {
  nav: NavGroup[]
  onClose: () => void
}

const searchDelayMilliseconds = 150

/** Pages, actions and things, found by typing; the keyboard is enough. */
export function Palette({ nav, onClose }: PaletteProps) {
  const navigate = useNavigate()
  const id = useId()
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), searchDelayMilliseconds)
  const { choices, searching } = useChoices(nav, typed.trim(), search)
  const [at, setAt] = useState(0)
  const active = Math.min(at, choices.length - 1)
  const list = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  // At once, and not with the focus trap a moment later: what is typed meanwhile would be lost.
  useEffect(() => field.current?.focus(), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the active choice is what changes
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [active, choices.length])

  const choose = (choice: Choice | undefined) => {
    if (!choice) return
    onClose()
    if ('run' in choice) choice.run()
    // Pages that are not part of the portal.
    else if (choice.leaves) location.assign(choice.to)
    else void navigate(choice.to)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined && choices.length > 0) {
      event.preventDefault()
      setAt((active + step + choices.length) % choices.length)
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault()
      choose(choices[active])
    }
  }
  return (
    <Modal.Root opened onClose={onClose} size="lg" yOffset="8vh">
      <Modal.Overlay />
      <Modal.Content aria-label="Search">
        <Modal.Body p={0}>
          <TextInput
            ref={field}
            data-autofocus
            variant="unstyled"
            size="md"
            px="md"
            py={6}
            placeholder="Search devices, spaces, people, apps, pages and actions"
            aria-label="Search"
            role="combobox"
            aria-expanded={choices.length > 0}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            {...(choices.length > 0 ? { 'aria-activedescendant': `${id}-${active}` } : {})}
            leftSection={<Icon name="search" />}
            autoComplete="off"
            spellCheck={false}
            maxLength={200}
            value={typed}
            onChange={(event) => {
              setTyped(event.currentTarget.value)
              setAt(0)
            }}
            onKeyDown={onKeyDown}
            // A dialog that was just closed gives the focus back to where it was, which may be after this one opened.
            onBlur={({ currentTarget, relatedTarget }) => {
              if (!currentTarget.closest('[role=dialog]')?.contains(relatedTarget)) currentTarget.focus()
            }}
          />
          <div ref={list} id={`${id}-list`} className="palette-list" role="listbox" aria-label="Results">
            {choices.map((choice, index) => (
              <Box
                key={`${choice.kind} ${choice.key}`}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === active}
                className="palette-choice"
                onMouseMove={() => setAt(index)}
                onClick={() => choose(choice)}
              >
                <Group gap="sm" wrap="nowrap" style={{ minWidth: 0 }}>
                  <Icon name={choice.icon} />
                  <Group gap={0} className="breakable" style={{ minWidth: 0, columnGap: 'var(--mantine-spacing-sm)' }}>
                    <Text size="sm">{choice.label}</Text>
                    {choice.hint && (
                      <Text size="xs" c="dimmed">
                        {choice.hint}
                      </Text>
                    )}
                  </Group>
                </Group>
                <Text size="xs" c="dimmed" style={{ flex: 'none' }}>
                  {choice.kind}
                </Text>
              </Box>
            ))}
          </div>
          <Text size="xs" c="dimmed" px="md" py={8} className="palette-foot" aria-hidden="true">
            {choices.length === 0 && !searching ? 'Nothing found' : '↑ ↓ to choose, Enter to open, Esc to close'}
          </Text>
          <VisuallyHidden role="status">{searching ? 'Searching' : `${choices.length} results`}</VisuallyHidden>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
