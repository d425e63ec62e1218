import { marked, type Token, type Tokens } from 'marked'

/** The guides are part of the portal, so that they are the installed version's and need no internet. */
export const guides = {
  portals: { title: 'The portals, page by page', load: () => import('../../../docs/portals.md?raw') },
  integrate: { title: 'Integration guide', load: () => import('../../../docs/integrate.md?raw') },
  mqtt: { title: 'Devices over MQTT', load: () => import('../../../docs/mqtt.md?raw') },
  contract: { title: 'The contract', load: () => import('../../../docs/contract.md?raw') },
  operate: { title: 'Operating Landbridge', load: () => import('../../../docs/operate.md?raw') },
}

export type GuideName = keyof typeof guides

export function isGuide(name: string): name is GuideName {
  return Object.hasOwn(guides, name)
}

export async function readGuide(name: GuideName): Promise<Token[]> {
  return marked.lexer((await guides[name].load()).default)
}

/** As GitHub does it, so that links work there too. */
export function headingId(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading'

/** The heading and everything up to the next one of its level or above; nothing if there is no such heading. */
export function sectionOf(tokens: Token[], id: string): Token[] {
  const start = tokens.findIndex((token) => isHeading(token) && headingId(token.text) === id)
  if (start < 0) return []
  const { depth } = tokens[start] as Tokens.Heading
  const length = tokens.slice(start + 1).findIndex((token) => isHeading(token) && token.depth <= depth)
  return length < 0 ? tokens.slice(start) : tokens.slice(start, start + 1 + length)
}

/** Where a link of a guide leads in the portal; undefined for files that are not served. */
export function guideLink(href: string, from: GuideName): { to: string; leaves: boolean } | undefined {
  if (href.startsWith('/')) return { to: href, leaves: true }
  if (href.startsWith('#')) return { to: `/help/${from}${href}`, leaves: false }
  const [, name = '', hash = ''] = /^([\w-]+)\.md(#.+)?$/.exec(href) ?? []
  return isGuide(name) ? { to: `/help/${name}${hash}`, leaves: false } : undefined
}
