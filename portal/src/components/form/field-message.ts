const rewrites: [RegExp, string][] = [
  [/^is required$/, 'Required'],
  [/^must not be empty$/, 'Required'],
  [/^is not a known field$/, 'This field is not supported'],
  [/^must have (.+ or (?:fewer|more))$/, 'Use $1'],
  [/^must use (.+)$/, 'Use $1'],
  [/^must be one of (.+)$/, 'Choose one of $1'],
  [/^must be (an? .+)$/, 'Enter $1'],
  [/^must be text$/, 'Enter text'],
]

/** The API writes “name must have 200 characters or fewer”; beside the field its name is already there. */
export function fieldMessage(predicate: string): string {
  for (const [pattern, sentence] of rewrites) {
    if (pattern.test(predicate)) return predicate.replace(pattern, sentence)
  }
  return predicate.charAt(0).toUpperCase() + predicate.slice(1)
}
