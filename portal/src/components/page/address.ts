import { type NavigateOptions, useSearchParams } from 'react-router'

/**
 * Changes the parameters of the address. Starts from the address itself: after two quick clicks, the page may not show
 * the first one yet, and its parameters would be those before it.
 */
export function useChangeAddress(): (change: (search: URLSearchParams) => void, options?: NavigateOptions) => void {
  const [, setSearch] = useSearchParams()
  return (change, options) => {
    const search = new URLSearchParams(window.location.search)
    change(search)
    setSearch(search, options)
  }
}
