// From a request that shows a fault to a short one that still does.
import type { Shot } from './wire.ts'

const attempts = 80

/** Leaves out one part after the other, as long as the rest still fails. */
export async function shorten(shot: Shot, fails: (shot: Shot) => Promise<boolean>): Promise<Shot> {
  let shortest = shot
  let left = attempts
  for (let shorter = true; shorter && left > 0; ) {
    shorter = false
    for (const candidate of shorterOnes(shortest)) {
      if (left === 0) break
      left -= 1
      if (!(await fails(candidate))) continue
      shortest = candidate
      shorter = true
      break
    }
  }
  return shortest
}

function* shorterOnes(shot: Shot): Generator<Shot> {
  const { url, headers, payload } = shot
  const [path, query = ''] = splitOnce(url, '?')
  const pairs = query === '' ? [] : query.split('&')
  for (const [index] of pairs.entries()) {
    const rest = pairs.toSpliced(index, 1)
    yield { ...shot, url: rest.length > 0 ? `${path}?${rest.join('&')}` : path! }
  }
  for (const [index, [name]] of headers.entries()) {
    if (name !== 'host') yield { ...shot, headers: headers.toSpliced(index, 1) }
  }
  if (payload === undefined) return
  for (const shorter of shorterPayloads(payload.toString())) yield { ...shot, payload: shorter }
}

function* shorterPayloads(text: string): Generator<string> {
  const value = parsed(text)
  if (value !== undefined) {
    for (const shorter of shorterValues(value)) yield JSON.stringify(shorter)
    return
  }
  if (text.length < 2) return
  yield text.slice(0, text.length >> 1)
  yield text.slice(text.length >> 1)
}

function* shorterValues(value: unknown): Generator<unknown> {
  if (typeof value === 'string' && value.length > 1) yield value.slice(0, value.length >> 1)
  if (typeof value !== 'object' || value === null) return
  const entries = Object.entries(value)
  const again = (some: [string, unknown][]) =>
    Array.isArray(value) ? some.map(([, item]) => item) : Object.fromEntries(some)
  for (const [index] of entries.entries()) yield again(entries.toSpliced(index, 1))
  for (const [index, [name, part]] of entries.entries()) {
    for (const shorter of shorterValues(part)) yield again(entries.toSpliced(index, 1, [name, shorter]))
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function splitOnce(text: string, by: string): string[] {
  const at = text.indexOf(by)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}
