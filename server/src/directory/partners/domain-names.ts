import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'

/** Where the TXT record of a domain is. */
export const challengeLabel = '_landbridge-challenge'

/** Of DNS, less what the name of the record adds. */
const maxCharacters = 253 - challengeLabel.length - 1

export type ReadDomain = { domain: string } | { problem: string }

/**
 * A domain in ASCII, which is also how people see it: in another script it could look like somebody else's. Only one that
 * its owner can have on the public internet.
 */
export function readDomain(sent: string): ReadDomain {
  const text = sent.trim().replace(/\.$/, '')
  if (!/^[\p{L}\p{M}\p{N}.-]{1,253}$/u.test(text)) return { problem: 'must be a domain alone, such as acme.com' }
  const domain = domainToASCII(text)
  if (domain === '' || isIP(domain)) return { problem: 'must be a domain, such as acme.com' }
  if (domain.length > maxCharacters) return { problem: `must have ${maxCharacters} characters or fewer in ASCII` }
  const labels = domain.split('.')
  if (!labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label))) {
    return { problem: 'must have parts of 1 to 63 letters, digits and hyphens' }
  }
  const last = labels.at(-1)!
  if (labels.length < 2 || !/^([a-z]{2,}|xn--[a-z0-9-]+)$/.test(last) || notPublic.has(last)) {
    return { problem: 'must be a domain of the public internet, such as acme.com' }
  }
  if (isShared(labels)) return { problem: `must be a domain of your own below ${domain}` }
  return { domain }
}

/** Of special use (RFC 2606, 6761, 6762, 7686, 9476), or private. */
const notPublic = new Set([
  ...['localhost', 'local', 'internal', 'test', 'example', 'invalid', 'onion', 'alt', 'arpa', 'lan', 'home', 'corp'],
])

/** Below them anybody can register a name: nobody is known by one. The common ones; no list of all is kept up to date here. */
const shared = new Set([
  ...['github.io', 'gitlab.io', 'pages.dev', 'workers.dev', 'web.app', 'firebaseapp.com', 'herokuapp.com', 'eu.org'],
  ...['netlify.app', 'vercel.app', 'azurewebsites.net', 'cloudfront.net', 'amazonaws.com', 'duckdns.org', 'mooo.com'],
  ...['dyndns.org', 'ddns.net', 'no-ip.org', 'myshopify.com', 'blogspot.com', 'uk.com', 'us.com', 'eu.com', 'de.com'],
])

function isShared(labels: string[]): boolean {
  const [second, last] = labels
  if (labels.length !== 2) return false
  const registry = /^(ac|co|com|edu|gov|mil|net|org)$/.test(second!) && last!.length === 2
  return registry || shared.has(labels.join('.'))
}
