import { useRef, useState } from 'react'

/** As many as the service counts. */
export const maxSelected = 10_000

export interface Selection {
  has: (key: string) => boolean
  size: number
  /** Selects or deselects a row; with `range`, all rows from the one before to it. */
  toggle: (keys: readonly string[], index: number, range?: boolean) => void
  /** Moves the end of the range that began at the last toggled row. */
  extend: (keys: readonly string[], from: number, to: number) => void
  all: (keys: readonly string[]) => void
  clear: () => void
}

/** The selected rows of a list, by key; none when the list shows something else. */
export function useSelection(listKey: string): Selection {
  const [state, setState] = useState({ listKey, keys: new Set<string>() })
  const anchor = useRef<string | null>(null)
  const keys = state.listKey === listKey ? state.keys : new Set<string>()
  const keep = (next: Iterable<string>) => setState({ listKey, keys: new Set([...next].slice(0, maxSelected)) })
  const between = (all: readonly string[], from: number, to: number) =>
    all.slice(Math.min(from, to), Math.max(from, to) + 1)
  return {
    has: (key) => keys.has(key),
    size: keys.size,
    toggle: (all, index, range = false) => {
      const key = all[index]!
      const from = range && anchor.current !== null ? all.indexOf(anchor.current) : -1
      if (from >= 0) keep([...keys, ...between(all, from, index)])
      else if (keys.has(key)) keep([...keys].filter((one) => one !== key))
      else keep([...keys, key])
      anchor.current = key
    },
    extend: (all, from, to) => {
      const start = anchor.current === null ? from : all.indexOf(anchor.current)
      anchor.current = all[start < 0 ? from : start]!
      keep([...keys, ...between(all, start < 0 ? from : start, to)])
    },
    all: keep,
    clear: () => {
      anchor.current = null
      keep([])
    },
  }
}
