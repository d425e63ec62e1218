import type { Page } from 'playwright-core'

/** Lighthouse's best practices that axe does not check: one sentence per violation. */
export async function bestPracticeViolations(page: Page): Promise<string[]> {
  // As text, since the tests are compiled without the DOM types.
  return await page.evaluate<string[]>(`(() => {
    const all = (selector) => [...document.querySelectorAll(selector)]
    const ids = all('[id]').map(({ id }) => id)
    const viewport = document.querySelector('meta[name=viewport]')?.content ?? ''
    const checks = {
      'no doctype': document.doctype?.name !== 'html' || document.compatMode !== 'CSS1Compat',
      'not UTF-8': document.characterSet !== 'UTF-8',
      'no language': !document.documentElement.lang,
      'cannot be zoomed': !viewport.includes('width=device-width') || /user-scalable=no|maximum-scale/.test(viewport),
      'no title of its own': !/\\S · Landbridge$/.test(document.title),
      'not one h1': all('h1').length !== 1,
      // As of a name among lengths (0 sm): what stands in it runs together.
      'a gap that is no length': all('.mantine-Group-root, .mantine-Stack-root, .mantine-Flex-root')
        .some((element) => getComputedStyle(element).columnGap === 'normal'),
      'a duplicate id': new Set(ids).size !== ids.length,
      'a broken or distorted image': all('img').some(({ complete, naturalWidth }) => complete && naturalWidth === 0),
      'a password field that blocks pasting': all('input[type=password][onpaste]').length > 0,
      'a target=_blank link without noopener': all('a[target=_blank]:not([rel*=noopener])').length > 0,
      'a resource of another origin': performance
        .getEntriesByType('resource')
        .some(({ name }) => new URL(name).origin !== location.origin),
    }
    return Object.entries(checks).filter(([, found]) => found).map(([violation]) => violation)
  })()`)
}
