/** In the order in which they are looked for: most browsers name others, too, to be served alike. */
const browsers: [pattern: RegExp, name: string][] = [
  [/\bEdg(A|iOS)?\//, 'Edge'],
  [/\b(OPR|OPT)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bVersion\/\S+ .*Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
]

const systems: [pattern: RegExp, name: string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b/, 'Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/** `Firefox on Windows`: enough to recognize one's own. Whoever signs in chooses the header, so nothing else of it is shown. */
export function browserName(userAgent: string | null): string {
  const find = (named: [RegExp, string][]) => named.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1]
  const system = find(systems)
  const browser = find(browsers) ?? 'Unknown browser'
  return system ? `${browser} on ${system}` : browser
}
