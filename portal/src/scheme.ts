import { localStorageColorSchemeManager, type MantineColorScheme, type MantineColorSchemeManager } from '@mantine/core'

const stored = localStorageColorSchemeManager()

/** Also in a cookie, so that the service sends this page, and those it renders itself, in the chosen scheme. */
export const schemeManager: MantineColorSchemeManager = {
  ...stored,
  get: (fallback) => {
    const scheme = stored.get(fallback)
    tellService(scheme)
    return scheme
  },
  set: (scheme) => {
    stored.set(scheme)
    tellService(scheme)
  },
}

function tellService(scheme: MantineColorScheme): void {
  if (scheme === 'auto') return
  document.documentElement.dataset.scheme = scheme
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API exists only over https
  document.cookie = `landbridge_scheme=${scheme}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`
}
