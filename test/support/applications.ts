import { createHash, randomBytes } from 'node:crypto'
import { newId } from '../../server/src/platform/secrets/identifiers.ts'
import { digest, mintSecret } from '../../server/src/platform/secrets/secrets.ts'
import { type Harness, type TestResponse, toTestResponse } from './harness.ts'

/** An application, and a customer whose administrator approved it. */
export interface TestApplication {
  client_id: string
  client_secret: string
  redirect_uri: string
  partner_id: string
  customer_id: string
  user_id: string
  email: string
}

export interface TestCode {
  code: string
  code_verifier: string
  redirect_uri: string
  grant_id: string
}

export const password = 'correct horse battery'

export async function registerApplication(
  service: Harness,
  { id_token_alg = 'RS256' }: { id_token_alg?: 'RS256' | 'ES256' } = {},
): Promise<TestApplication> {
  const redirect_uri = 'https://app.example.com/callback'
  const unique = randomBytes(4).toString('hex')
  const email = `ada-${unique}@example.com`
  const admin = { name: 'Ada Lovelace', email, password }
  const partner = await service.operator('POST', '/partners', { name: 'Acme', portal_domain: 'acme.test', admin })
  const application = await service.operator('POST', `/partners/${partner.body.id}/applications`, {
    name: 'Dashboard',
    redirect_uris: [redirect_uri],
    id_token_alg,
  })
  const [user] = await service.sql`select id from users where email = ${email}`
  return {
    client_id: application.body.client_id,
    client_secret: application.body.client_secret,
    redirect_uri,
    partner_id: partner.body.id,
    customer_id: partner.body.lab.customer_id,
    user_id: user!.id,
    email,
  }
}

/** What the consent screen leaves behind: the customer's grant, and a code of it. */
export async function openCode(
  service: Harness,
  application: TestApplication,
  { scope = 'openid profile email', nonce = null }: { scope?: string; nonce?: string | null } = {},
): Promise<TestCode> {
  const { sql, clock } = service
  const { client_id, customer_id, user_id, redirect_uri } = application
  const code = mintSecret('authorization_code')
  const codeVerifier = randomBytes(32).toString('base64url')
  const now = clock.now()
  const [grant] = await sql`
    insert into grants (id, client_id, customer_id, created_at) values (${newId()}, ${client_id}, ${customer_id}, ${now})
    on conflict (client_id, customer_id) where revoked_at is null do update set created_at = grants.created_at
    returning id`
  await sql`insert into authorization_codes ${sql({
    digest: digest(code),
    grant_id: grant!.id,
    client_id,
    user_id,
    redirect_uri,
    code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    nonce,
    scope: scope.split(' ').filter(Boolean),
    auth_time: now,
    expires_at: new Date(now.getTime() + 60_000),
  })}`
  return { code, code_verifier: codeVerifier, redirect_uri, grant_id: grant!.id }
}

type Fields = Record<string, string> | [string, string][] | string

/** A form POST as a client sends it. */
export async function postForm(
  service: Harness,
  url: string,
  fields: Fields,
  headers: Record<string, string> = {},
): Promise<TestResponse & { raw: string }> {
  const response = await service.app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: typeof fields === 'string' ? fields : new URLSearchParams(fields).toString(),
    remoteAddress: nextAddress(),
  })
  return { ...toTestResponse(response), raw: response.body }
}

let address = 0

/** Each request from its own address, so that a limit is met only by the test that is about it. */
export function nextAddress(): string {
  address += 1
  return `10.${(address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`
}

export function credentialsOf({ client_id, client_secret }: TestApplication) {
  return { client_id, client_secret }
}

export function exchange(
  service: Harness,
  application: TestApplication,
  { code, code_verifier, redirect_uri }: TestCode,
) {
  const fields = { grant_type: 'authorization_code', code, code_verifier, redirect_uri }
  return postForm(service, '/oauth/token', { ...fields, ...credentialsOf(application) })
}

export function refresh(service: Harness, application: TestApplication, refreshToken: string, scope?: string) {
  const fields = { grant_type: 'refresh_token', refresh_token: refreshToken, ...(scope === undefined ? {} : { scope }) }
  return postForm(service, '/oauth/token', { ...fields, ...credentialsOf(application) })
}

export function revoke(service: Harness, application: TestApplication, token: string) {
  return postForm(service, '/oauth/revoke', { token, ...credentialsOf(application) })
}

export async function userinfo(service: Harness, accessToken: string): Promise<TestResponse & { raw: string }> {
  const headers = { authorization: `Bearer ${accessToken}` }
  const response = await service.app.inject({ url: '/oauth/userinfo', headers, remoteAddress: nextAddress() })
  return { ...toTestResponse(response), raw: response.body }
}

/** A code, and its exchange for tokens. */
export async function connect(service: Harness, application: TestApplication, scope?: string) {
  const code = await openCode(service, application, scope === undefined ? {} : { scope })
  const { status, body } = await exchange(service, application, code)
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return { ...(body as { access_token: string; refresh_token: string; id_token: string }), grant_id: code.grant_id }
}

/** As if an administrator had approved the application for so much and no more. */
export async function approveFor(
  { sql }: Harness,
  { client_id, customer_id }: Pick<TestApplication, 'client_id' | 'customer_id'>,
  { permissions = null, within = null }: { permissions?: object | null; within?: string[] | null },
): Promise<void> {
  const levels = permissions && JSON.stringify(permissions)
  await sql`
    insert into approvals (client_id, customer_id, policy, approved_at, permissions, within)
    values (${client_id}, ${customer_id}, 'everyone', now(), ${levels}::jsonb, ${within}::uuid[])
    on conflict (client_id, customer_id) do update set permissions = excluded.permissions, within = excluded.within`
}
