// The requests of an application, each from another address, as behind a busy proxy: the limits stay on.
import { createHash } from 'node:crypto'

export interface IssuedCode {
  client_id: string
  client_secret: string
  code: string
}

export const redirectUri = 'https://app.example.com/cb'
const codeVerifier = 'v'.repeat(43)
export const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')

const head = 'HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: <address>\r\n'

export function codeExchange(path: string, { client_id, client_secret, code }: IssuedCode): string {
  const body = new URLSearchParams({
    ...{ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: codeVerifier },
    ...{ client_id, client_secret },
  }).toString()
  const type = 'content-type: application/x-www-form-urlencoded'
  return `POST ${path} ${head}${type}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

export function get(path: string, accessToken?: string): string {
  return `GET ${path} ${head}${accessToken ? `authorization: Bearer ${accessToken}\r\n` : ''}\r\n`
}
