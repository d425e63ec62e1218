import { type KeyboardEvent, type RefObject, useEffect, useRef } from 'react'
import type { Selection } from './selection.ts'

interface Rows {
  scroller: RefObject<HTMLElement | null>
  keys: readonly string[]
  selection: Selection | undefined
  /** Brings a row on screen, where only those exist. */
  show: (index: number) => void
}

/** Arrow keys move from row to row, Space selects one, Shift and an arrow key several, Escape none; Enter follows the link. */
export function useRowKeys({ scroller, keys, selection, show }: Rows): (event: KeyboardEvent<HTMLElement>) => void {
  const wanted = useRef<number | null>(null)
  const focusWanted = () => {
    if (wanted.current === null) return
    const link = scroller.current?.querySelector<HTMLElement>(`[data-row="${wanted.current}"] a`)
    if (!link) return
    wanted.current = null
    link.focus({ preventScroll: true })
    link.closest('tr')?.scrollIntoView({ block: 'nearest' })
  }
  // The row may come on screen only with the next render.
  useEffect(focusWanted)
  return (event) => {
    const { key, shiftKey, target } = event
    if (key === 'Escape' && selection && selection.size > 0) return selection.clear()
    const row = (target as HTMLElement).closest<HTMLElement>('[data-row]')
    const inControl = (target as HTMLElement).closest('button, input:not([type=checkbox]), textarea')
    if (!row || inControl || event.ctrlKey || event.metaKey || event.altKey) return
    const index = Number(row.dataset.row)
    if (key === ' ' && selection) {
      event.preventDefault()
      return selection.toggle(keys, index, shiftKey)
    }
    const next = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: keys.length - 1 }[key]
    if (next === undefined || next < 0 || next >= keys.length) return
    event.preventDefault()
    if (shiftKey && selection) selection.extend(keys, index, next)
    wanted.current = next
    show(next)
    focusWanted()
  }
}
