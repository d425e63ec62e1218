import { ActionIcon, Tooltip } from '@mantine/core'
import { type ComponentType, useCallback, useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { probe } from '../api/connection.ts'
import { Icon } from '../components/icon.tsx'
import { withMoreStyles } from '../more-styles.ts'
import type { NavGroup } from './frame.tsx'

export interface PaletteProps {
  nav: NavGroup[]
  onClose: () => void
}

/** Opens the palette, also with Ctrl-K and `/`. Its file is loaded the first time. */
export function PaletteButton({ nav }: { nav: NavGroup[] }) {
  const [Palette, setPalette] = useState<ComponentType<PaletteProps> | null>(null)
  const [opened, setOpened] = useState(false)
  const { pathname, search } = useLocation()
  const open = useCallback(() => {
    setOpened(true)
    withMoreStyles(import('./palette.tsx')).then(
      (loaded) => setPalette(() => loaded.Palette),
      () => {
        setOpened(false)
        // The banner says why, if the service is away.
        void probe()
      },
    )
  }, [])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const shortcut = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey
      const slash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target)
      if (!(shortcut || slash) || document.querySelector('[role=dialog]')) return
      event.preventDefault()
      open()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [open])
  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever was chosen, it leads to another address
  useEffect(() => setOpened(false), [pathname, search])
  return (
    <>
      <Tooltip label="Search (Ctrl K or /)">
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label="Search"
          aria-keyshortcuts="Control+K /"
          loading={opened && Palette === null}
          onClick={open}
        >
          <Icon name="search" />
        </ActionIcon>
      </Tooltip>
      {opened && Palette && <Palette nav={nav} onClose={() => setOpened(false)} />}
    </>
  )
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}
