// Before uPlot: it hands the browser's language to Intl while it loads, and an invalid one would leave every chart empty.
import { locale } from '../../locale.ts'

if (!isValid(navigator.language)) {
  // On the object itself: the browser's own property is read-only, and belongs to the prototype.
  Object.defineProperty(navigator, 'language', { value: locale, configurable: true })
}

/** Chromium under `LANG=C` has `en-US@posix`, which is the name of a locale of the system and no language tag. */
function isValid(language: string): boolean {
  try {
    return Intl.getCanonicalLocales(language).length > 0
  } catch {
    return false
  }
}
