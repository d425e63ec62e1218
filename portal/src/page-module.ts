import type { ComponentType } from 'react'
import { withMoreStyles } from './more-styles.ts'

type Module = Record<string, unknown>

export interface PageModule {
  path: string
  load: () => Promise<ComponentType>
  /** The component, once it is loaded. */
  loaded?: ComponentType
}

/** Each page is its own chunk, loaded when it is opened. */
export function page(path: string, load: () => Promise<Module>, name: string): PageModule {
  return startPage(path, () => withMoreStyles(load()), name)
}

/** A page whose styles are all in styles.css. */
export function startPage(path: string, load: () => Promise<Module>, name: string): PageModule {
  const page: PageModule = {
    path,
    load: async () => {
      page.loaded = (await load())[name] as ComponentType
      return page.loaded
    },
  }
  return page
}
