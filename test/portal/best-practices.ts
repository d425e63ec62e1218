import type { Page } from 'playwright-core'

/** What Lighthouse's best practices ask of a page that axe does not: one sentence a shortcoming. */
export async function shortcomingsOf(page: Page): Promise<string[]> {
  // As text, since the tests know no DOM.
  return await page.evaluate<string[]>(`(() => {
    const all = (selector) => [...document.querySelectorAll(selector)]
    const ids = all('[id]').map(({ id }) => id)
    const viewport = document.querySelector('meta[name=viewport]')?.content ?? ''
    const checks = {
      'no doctype': document.doctype?.name !== 'html' || document.compatMode !== 'CSS1Compat',
      'not in UTF-8': document.characterSet !== 'UTF-8',
      'no language': !document.documentElement.lang,
      'cannot be zoomed': !viewport.includes('width=device-width') || /user-scalable=no|maximum-scale/.test(viewport),
      'no title of its own': !/\\S · Landbridge$/.test(document.title),
      'not one h1': all('h1').length !== 1,
      'an id twice': new Set(ids).size !== ids.length,
      'a broken or distorted image': all('img').some(({ complete, naturalWidth }) => complete && naturalWidth === 0),
      'a password that cannot be pasted': all('input[type=password][onpaste]').length > 0,
      'a link to another window that hands over this one': all('a[target=_blank]:not([rel*=noopener])').length > 0,
      'something from elsewhere': performance
        .getEntriesByType('resource')
        .some(({ name }) => new URL(name).origin !== location.origin),
    }
    return Object.entries(checks).filter(([, found]) => found).map(([fault]) => fault)
  })()`)
}
