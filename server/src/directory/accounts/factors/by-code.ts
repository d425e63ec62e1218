/** Whether the second factor was the code of an app, which a false page could have asked for (amr, RFC 8176). */
export function isByCode(methods: readonly string[]): boolean {
  return methods.includes('otp') && !methods.includes('hwk') && !methods.includes('swk')
}
