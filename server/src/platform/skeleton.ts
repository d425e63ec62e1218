/**
 * What a name looks like, after Unicode's Technical Standard 39: two names with the same skeleton can be mistaken for each
 * other. Without case, marks, spaces and punctuation; letters of other scripts, and digits, that look like Latin letters
 * become those. For comparison only: it is no name.
 */
export function skeletonOf(name: string): string {
  const letters = [...name.normalize('NFKD')].map((character) => lookAlikes.get(character) ?? character)
  const folded = [...letters.join('').normalize('NFKD').toLowerCase()].map((letter) => lookAlikes.get(letter) ?? letter)
  const plain = folded.join('').replaceAll(/[^\p{L}\p{N}]/gu, '')
  const skeleton = plain.replaceAll('rn', 'm').replaceAll('vv', 'w')
  // Symbols only, such as an emoji: itself.
  return skeleton || name.normalize('NFKC')
}

/** Cyrillic, Greek, Armenian, Cherokee and unusual Latin letters, and digits, by the letter that they look like. */
const alike: Record<string, string> = {
  a: 'аɑαΑАᎪ',
  b: 'ƄЬьВвΒβᏴ',
  c: 'сСⅽϲϹᏟ',
  d: 'ԁɗđᎠ',
  e: 'еЕєҽΕεᎬəƐɛ3',
  f: 'ƒϝϜſ',
  g: 'ɡցԌɢᏀ',
  h: 'һНнΗհᎻ',
  j: 'јЈϳյᎫ',
  k: 'кКκΚĸᏦ',
  l: 'iIıɩіІӏӀιΙ1|ɭłŁǀᏞ',
  m: 'мМΜᎷ',
  n: 'ոпΝηɳ',
  o: 'оОοΟσօՕ0øØѳ',
  p: 'рРρΡᏢ',
  q: 'ԛզɋ',
  r: 'гɾᖇᎡ',
  s: 'ѕЅꜱՏᏚ5',
  t: 'тТτΤᎢŧ',
  u: 'υսʋцս',
  v: 'ѵνѴᏙ',
  w: 'ԝѡωшᎳ',
  x: 'хХχΧ',
  y: 'уУγүΥҮʏ',
  z: 'ᴢΖᏃ',
}
const lookAlikes = new Map(
  Object.entries(alike).flatMap(([letter, others]) => [...others].map((other) => [other, letter])),
)
