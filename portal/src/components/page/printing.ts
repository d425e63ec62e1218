import { useSyncExternalStore } from 'react'
import { flushSync } from 'react-dom'

let printing = false
let scheme: string | null = null
const listeners = new Set<() => void>()

/** The browser takes the page as it is when the event is over: everything has to be drawn by then. */
function become(next: boolean): void {
  if (printing === next) return
  printing = next
  const root = document.documentElement
  const name = 'data-mantine-color-scheme'
  // Paper is white, and browsers print no background.
  if (next) scheme = root.getAttribute(name)
  root.setAttribute(name, next ? 'light' : (scheme ?? 'light'))
  flushSync(() => {
    for (const listener of listeners) listener()
  })
}

/** Called once, by the frame of all pages. */
export function watchPrinting(): void {
  window.addEventListener('beforeprint', () => become(true))
  window.addEventListener('afterprint', () => become(false))
}

/** True while the page is printed: then all that is loaded has to be in it, not only what is on screen. */
export function usePrinting(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => printing,
  )
}
