/** A partner chooses one colour; text and background colours are derived from it, so that every choice is legible. */
export function accentStylesheet(color: string): string {
  const shades = accentShades(color)
  if (!shades) return ''
  const [light, dark] = [rules(shades.light), rules(shades.dark)]
  const onDarkDevice = `@media (prefers-color-scheme: dark){:root:not([data-scheme=light]){${dark}}}`
  return `:root{${light}}\n${onDarkDevice}\n:root[data-scheme=dark]{${dark}}\n`
}

export interface Shade {
  accent: string
  onAccent: string
}

/** Null for what is no colour. */
export function accentShades(color: string): { light: Shade; dark: Shade } | null {
  const chosen = parse(color)
  if (!chosen) return null
  return { light: shade(towards(chosen, black, white)), dark: shade(towards(chosen, white, darkBackground)) }
}

type Rgb = readonly [number, number, number]
const black: Rgb = [0, 0, 0]
const white: Rgb = [255, 255, 255]
const darkBackground: Rgb = [27, 31, 34]
/** WCAG 2.2, 1.4.3: the minimum contrast of text. */
const legible = 4.5

function shade(accent: Rgb): Shade {
  const onAccent = contrast(accent, white) >= contrast(accent, black) ? white : black
  return { accent: write(accent), onAccent: write(onAccent) }
}

function rules({ accent, onAccent }: Shade): string {
  return `--accent:${accent};--on-accent:${onAccent}`
}

function towards(color: Rgb, end: Rgb, background: Rgb): Rgb {
  for (let step = 0; step <= 20; step += 1) {
    const mixed = color.map((channel, index) => Math.round(channel + (end[index]! - channel) * (step / 20)))
    if (contrast(mixed as unknown as Rgb, background) >= legible) return mixed as unknown as Rgb
  }
  return end
}

export function contrast(a: Rgb, b: Rgb): number {
  const [darker, lighter] = [luminance(a), luminance(b)].toSorted((x, y) => x - y)
  return (lighter! + 0.05) / (darker! + 0.05)
}

function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

function parse(color: string): Rgb | null {
  if (!/^#[0-9a-f]{6}$/i.test(color)) return null
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as unknown as Rgb
}

function write(color: Rgb): string {
  return `#${color.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}
