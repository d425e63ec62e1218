const localPart = /^[a-z0-9!#$%&*+/=?^_{|}~'-]+(\.[a-z0-9!#$%&*+/=?^_{|}~'-]+)*$/i
/** At least two labels; what `URL` takes for an IPv4 address ends in a number. */
const domainName = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/

/**
 * The address as it is sent to, or null. Narrower than RFC 5321: ASCII, one @, no quotes, comments, groups or lists, since
 * those are read differently by different programs, and mail then goes to somebody else.
 */
export function mailAddress(text: string): string | null {
  if (text.length > 254 || !/^[\x21-\x7e]+$/.test(text)) return null
  const [local, domain, ...more] = text.split('@')
  if (local === undefined || domain === undefined || more.length > 0) return null
  const lower = domain.toLowerCase()
  if (local.length > 64 || !localPart.test(local) || !domainName.test(lower)) return null
  // A name that `URL` writes in another way would be looked up as another.
  if (URL.parse(`http://${lower}/`)?.hostname !== lower) return null
  return `${local}@${lower}`
}

export interface Mailbox {
  name: string
  address: string
}

/** "Name <address>", or an address alone. */
export function mailbox(text: string): Mailbox | null {
  const [before = '', within, ...more] = text.replace(/>$/, '').split('<')
  const named = within !== undefined && more.length === 0 && text.endsWith('>')
  const address = mailAddress(named ? within : text)
  if (address === null || /[>"\p{Cc}]/u.test(before)) return null
  return { name: named ? before.trim() : '', address }
}
