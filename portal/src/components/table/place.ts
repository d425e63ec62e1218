import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'

interface Place {
  search: string
  box: number
  page: number
}

/** Where each list was left for one of its rows, by the path of the list. */
const places = new Map<string, Place>()

/** The address of a list as it was left, with its search and filters. */
export function listAddress(path: string): string {
  return path + (places.get(path)?.search ?? '')
}

/**
 * A list that was left for one of its rows is shown where it was on the return; its pages are still there, and load again.
 * What the list shows next begins at the top.
 */
export function usePlace(scroller: RefObject<HTMLElement | null>, listKey: string | undefined, ready: boolean): void {
  const own = useRef({ path: location.pathname, search: location.search })
  const restored = useRef(false)
  const shown = useRef(listKey)
  const scrolled = useRef({ box: 0, page: 0 })

  useLayoutEffect(() => {
    if (!ready || restored.current) return
    restored.current = true
    const place = places.get(own.current.path)
    if (place?.search !== own.current.search) return
    // The box has its height, and the page too, once the rows have been laid out.
    requestAnimationFrame(() => {
      scroller.current?.scrollTo(0, place.box)
      window.scrollTo(0, place.page)
    })
  }, [ready, scroller])

  useEffect(() => {
    own.current = { path: location.pathname, search: location.search }
    if (shown.current === listKey) return
    shown.current = listKey
    scroller.current?.scrollTo(0, 0)
  }, [listKey, scroller])

  useEffect(() => {
    const note = () => {
      scrolled.current = { box: scroller.current?.scrollTop ?? 0, page: window.scrollY }
    }
    document.addEventListener('scroll', note, { capture: true, passive: true })
    return () => {
      document.removeEventListener('scroll', note, { capture: true })
      const { path, search } = own.current
      if (location.pathname.startsWith(`${path}/`)) places.set(path, { search, ...scrolled.current })
      else places.delete(path)
    }
  }, [scroller])
}
