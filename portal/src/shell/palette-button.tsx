import { ActionIcon } from '@mantine/core'
import { useEffect } from 'react'
import { Icon } from '../components/page/icon.tsx'
import { useLate } from './late.ts'
import type { NavGroup } from './nav.ts'

const loadPalette = async () => (await import('./palette.tsx')).Palette

/** Opens the palette, also with Ctrl-K and `/`. Its file is loaded the first time. */
export function PaletteButton({ nav }: { nav: NavGroup[] }) {
  const { Late: Palette, loading, open, close } = useLate(loadPalette)
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
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label="Search"
        aria-keyshortcuts="Control+K /"
        data-tooltip="Search (Ctrl K or /)"
        loading={loading}
        onClick={open}
      >
        <Icon name="search" />
      </ActionIcon>
      {Palette && <Palette nav={nav} onClose={close} />}
    </>
  )
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}
