/** What people read: names and labels are one line, notes may have several. */
export type TextKind = 'line' | 'lines'

export type ReadText = { text: string } | { problem: string }

/**
 * The one rule for text that people read. NFC, which changes no letter that somebody typed, not NFKC, which does (½, ﬁ, ①);
 * spaces at both ends are removed. Nothing may be hidden, reorder other text or end a line: a name is shown to others, in
 * pages, terminals, mails and spreadsheets. `max` counts characters, after normalisation.
 */
export function readText(kind: TextKind, sent: string, max: number): ReadText {
  if (!sent.isWellFormed()) return { problem: 'must be text without lone surrogates' }
  const normal = sent.normalize('NFC')
  const text = kind === 'lines' ? normal.replaceAll(/\r\n?/g, '\n') : normal
  const rest = text.replaceAll(neededSequences, 'a')
  for (const [message, pattern] of forbidden[kind]) {
    const [found] = rest.match(pattern) ?? []
    if (found !== undefined) return { problem: `must not contain ${message} (${codePoint(found)})` }
  }
  const trimmed = text.trim()
  // An empty note is none.
  if (trimmed === '' && kind === 'lines') return { text: '' }
  if (!visible.test(rest)) return { problem: 'must contain a visible character' }
  if ([...trimmed].length > max) return { problem: `must have ${max.toLocaleString('en')} characters or fewer` }
  return { text: trimmed }
}

/** For terminals, where also what was stored before the rule, or came from elsewhere, must do no harm. */
export function printable(text: string): string {
  const harmless = (part: string) =>
    forbidden.line.reduce((shown, [, pattern]) => shown.replaceAll(new RegExp(pattern, 'gu'), '?'), part)
  const needed = text.match(neededSequences) ?? []
  return text.split(neededSequences).reduce((shown, part, index) => shown + harmless(part) + (needed[index] ?? ''), '')
}

/** Scripts in which a joiner between two letters changes how they are written. */
const joiningScripts = [
  ...['Arabic', 'Syriac', 'Nko', 'Mongolian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil'],
  ...['Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar', 'Tibetan'],
]
const joiningLetter = `[${joiningScripts.map((script) => `\\p{Script=${script}}`).join('')}]`
const picture = '\\p{Extended_Pictographic}\\p{Emoji_Modifier}?\\u{fe0f}?'

/** Where invisible characters are needed: emoji, joiners within words, and variants of Han and Mongolian letters. */
const neededSequences = new RegExp(
  [
    `${picture}(?:\\u{200d}${picture})+`,
    '\\p{Emoji}[\\u{fe0e}\\u{fe0f}]\\u{20e3}?',
    '\\u{1f3f4}[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]+\\u{e007f}',
    `(?<=${joiningLetter})[\\u{200c}\\u{200d}](?=${joiningLetter})`,
    '\\p{Script=Han}[\\u{fe00}-\\u{fe0f}\\u{e0100}-\\u{e01ef}]',
    '\\p{Script=Mongolian}[\\u{180b}-\\u{180d}\\u{180f}]',
  ].join('|'),
  'gu',
)

const directions = ['characters that change the direction of text', /\p{Bidi_Control}/u] as const
const invisible = ['invisible characters', /[\p{Default_Ignorable_Code_Point}\u{fff9}-\u{fffb}]/u] as const
const meaningless = ['characters without a meaning', /[\p{Co}\p{Noncharacter_Code_Point}]/u] as const
/** More than any script stacks: they would cover the lines above and below. */
const piles = ['more than eight marks on one letter', /(?<=\p{M}{8})\p{M}/u] as const

const forbidden: Record<TextKind, (readonly [string, RegExp])[]> = {
  line: [
    ['control characters or line breaks', /[\p{Cc}\p{Zl}\p{Zp}]/u],
    ...[directions, invisible, meaningless, piles],
  ],
  lines: [['control characters', /[^\P{Cc}\n\t]/u], ...[directions, invisible, meaningless, piles]],
}

/** Letters, digits, punctuation or symbols; some symbols are blank: Braille, music, hieroglyphs. */
const visible = /(?![\u{2800}\u{1d159}\u{13441}\u{13442}])[\p{L}\p{N}\p{P}\p{S}]/u

function codePoint(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
}
