import { schemeOf } from './origin.ts'

/** A cookie of ours: values are base64url, so that nothing needs encoding and what does is not ours. */
export interface CookieJar {
  read(header: string | undefined, name: string): string | null
  write(name: string, value: string, maxAgeSeconds: number): string
}

/**
 * `__Host-` keeps a neighbouring subdomain from planting a cookie; a browser takes it over https only. Lax: a browser
 * sent here by a partner's page brings its session along, a form on that page does not.
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
