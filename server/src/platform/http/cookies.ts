import { schemeOf } from './origin.ts'

/** Values are base64url, so that nothing needs encoding. */
export interface CookieJar {
  read(header: string | undefined, name: string): string | null
  write(name: string, value: string, maxAgeSeconds: number): string
}

/**
 * `__Host-` keeps another subdomain from setting the cookie; browsers accept it over https only. Lax: a browser that
 * follows a link from another site sends its session, a form of that site does not.
 */
export function cookieJar(publicUrl: string): CookieJar {
  const secure = schemeOf(publicUrl) === 'https:'
  const fullName = (name: string) => (secure ? `__Host-${name}` : name)
  return {
    read(header, name) {
      const start = `${fullName(name)}=`
      const pairs = header?.split(';').map((pair) => pair.trim()) ?? []
      return pairs.find((pair) => pair.startsWith(start))?.slice(start.length) || null
    },
    write(name, value, maxAgeSeconds) {
      const attributes = `Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
      return `${fullName(name)}=${value}; ${attributes}`
    },
  }
}
