import type { NamedSpace } from '../api/reach.ts'

const maxNames = 5

/** Of a person who sees some spaces only: `You see the spaces Oslo and Bergen.` */
export function SeenSpaces({ spaces }: { spaces: NamedSpace[] | null }): string | null {
  return spaces && seenText(spaces)
}

function seenText(spaces: NamedSpace[]): string {
  if (spaces.length === 0) return ''
  const names = spaces.map(({ name }) => name)
  const shown = names.length > maxNames ? [...names.slice(0, maxNames), `${names.length - maxNames} more`] : names
  const listed = shown.length === 1 ? shown[0] : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
  return `You see the ${names.length === 1 ? 'space' : 'spaces'} ${listed}.`
}
