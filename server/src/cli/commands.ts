import { randomBytes } from 'node:crypto'

export type Values = Record<string, string | boolean | (string | boolean)[] | undefined>

export interface Request {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  query?: Record<string, string>
  body?: object
  /** What the command made up itself and must be shown with the answer. */
  shown?: Record<string, string>
}

export interface Command {
  noun: string
  /** null: the noun alone is the command. */
  verb: string | null
  summary: string
  positionals: string[]
  options: Record<string, { type: 'string' | 'boolean'; multiple?: boolean; short?: string }>
  required: string[]
  /** A list is printed as a table of these fields. */
  columns?: string[]
  /** Said when the answer has no body. */
  done?: string
  request(values: Values, positionals: string[]): Request
}

const string = { type: 'string' } as const

function list(
  noun: string,
  summary: string,
  columns: string[],
  filters: Record<string, string>,
  path: string,
): Command {
  const options = Object.fromEntries(Object.keys(filters).map((name) => [name, string]))
  return {
    ...{ noun, verb: 'list', summary, positionals: [], options, required: [], columns },
    request: (values) => ({ method: 'GET', path, query: pick(values, filters) }),
  }
}

function show(noun: string, id: string, path: string): Command {
  return {
    ...{ noun, verb: 'show', summary: `Show one ${noun}`, positionals: [id], options: {}, required: [] },
    request: (_values, [word]) => ({ method: 'GET', path: `${path}/${encodeURIComponent(word!)}` }),
  }
}

/** `{option: field}`: the options that were given, under the API's names. */
function pick(values: Values, names: Record<string, string>): Record<string, string> {
  const given = Object.entries(names).filter(([option]) => values[option] !== undefined)
  return Object.fromEntries(given.map(([option, field]) => [field, String(values[option])]))
}

/** Left out, a password is made here and shown once: better than one typed into a shell's history. */
function passwordOf(given: Values[string]): { password: string; shown?: Record<string, string> } {
  if (typeof given === 'string') return { password: given }
  const password = randomBytes(12).toString('base64url')
  return { password, shown: { password } }
}

const id = encodeURIComponent

export const commands: Command[] = [
  list('partner', 'List partners', ['id', 'name', 'portal_domain', 'created_at'], {}, '/partners'),
  show('partner', 'partner-id', '/partners'),
  {
    ...{ noun: 'partner', verb: 'create', summary: 'Create a partner with its administrator and lab tenant' },
    positionals: [],
    options: { name: string, 'portal-domain': string, 'admin-name': string, email: string, password: string },
    required: ['name', 'email'],
    request: (values) => {
      const { password, shown } = passwordOf(values.password)
      const admin = { name: values['admin-name'] ?? values.email, email: values.email, password }
      const body = { name: values.name, portal_domain: values['portal-domain'] ?? null, admin }
      return { method: 'POST', path: '/partners', body, ...(shown ? { shown } : {}) }
    },
  },
  {
    ...{ noun: 'partner', verb: 'change', summary: 'Rename a partner or set its portal domain ("" takes it away)' },
    ...{ positionals: ['partner-id'], options: { name: string, 'portal-domain': string }, required: [] },
    request: (values, [partner]) => ({
      method: 'PATCH',
      path: `/partners/${id(partner!)}`,
      body: {
        ...pick(values, { name: 'name' }),
        ...(values['portal-domain'] === undefined ? {} : { portal_domain: values['portal-domain'] || null }),
      },
    }),
  },

  {
    ...list(
      'application',
      'List applications',
      ['client_id', 'name', 'enabled', 'partner_id', 'redirect_uris'],
      {},
      '',
    ),
    options: { partner: string },
    request: ({ partner }) => ({
      method: 'GET',
      path: partner === undefined ? '/applications' : `/partners/${id(String(partner))}/applications`,
    }),
  },
  show('application', 'client-id', '/applications'),
  {
    ...{ noun: 'application', verb: 'create', summary: 'Register an application; shows its secret this once' },
    positionals: [],
    options: { partner: string, name: string, 'redirect-uri': { type: 'string', multiple: true }, alg: string },
    required: ['partner', 'name', 'redirect-uri'],
    request: (values) => ({
      method: 'POST',
      path: `/partners/${id(String(values.partner))}/applications`,
      body: { name: values.name, redirect_uris: values['redirect-uri'], ...pick(values, { alg: 'id_token_alg' }) },
    }),
  },
  {
    ...{ noun: 'application', verb: 'change', summary: 'Rename an application or replace its redirect URIs' },
    positionals: ['client-id'],
    options: { name: string, 'redirect-uri': { type: 'string', multiple: true } },
    required: [],
    request: (values, [client]) => ({
      method: 'PATCH',
      path: `/applications/${id(client!)}`,
      body: {
        ...pick(values, { name: 'name' }),
        ...(values['redirect-uri'] ? { redirect_uris: values['redirect-uri'] } : {}),
      },
    }),
  },
  switchApplication('disable', 'Disable an application; revokes every grant it has', false),
  switchApplication('enable', 'Enable an application; its grants stay revoked', true),

  list(
    'customer',
    'List customers',
    ['id', 'name', 'lab', 'partner_id', 'created_at'],
    { partner: 'partner_id' },
    '/customers',
  ),
  show('customer', 'customer-id', '/customers'),
  {
    ...{ noun: 'customer', verb: 'create', summary: 'Create a customer' },
    ...{ positionals: [], options: { partner: string, name: string }, required: ['partner', 'name'] },
    request: (values) => ({
      method: 'POST',
      path: '/customers',
      body: { partner_id: values.partner, name: values.name },
    }),
  },

  {
    ...list('user', 'List everyone, or the users of one customer', ['id', 'email', 'name', 'role', 'active'], {}, ''),
    options: { customer: string, email: string },
    request: (values) => ({
      method: 'GET',
      path: values.customer === undefined ? '/users' : `/customers/${id(String(values.customer))}/users`,
      query: pick(values, { email: 'email' }),
    }),
  },
  {
    ...{ noun: 'user', verb: 'add', summary: 'Add a user to a customer; an email that has an account is invited' },
    positionals: [],
    options: {
      ...{ customer: string, name: string, email: string, role: string, password: string },
      group: { type: 'string', multiple: true },
    },
    required: ['customer', 'name', 'email'],
    request: (values) => {
      const { password, shown } = passwordOf(values.password)
      const role = values.role ?? 'member'
      const body = { name: values.name, email: values.email, password, role, groups: values.group ?? [] }
      const path = `/customers/${id(String(values.customer))}/users`
      return { method: 'POST', path, body, ...(shown ? { shown } : {}) }
    },
  },
  {
    ...{
      noun: 'user',
      verb: 'reset-password',
      summary: 'Make a one-time link with which a person sets a new password',
    },
    ...{ positionals: ['user-id'], options: {}, required: [] },
    request: (_values, [user]) => ({ method: 'POST', path: `/users/${id(user!)}/password-reset` }),
  },
  {
    ...{ noun: 'user', verb: 'release-email', summary: 'Free the email of an account that somebody else made with it' },
    ...{ positionals: ['user-id'], options: {}, required: [] },
    request: (_values, [user]) => ({ method: 'POST', path: `/users/${id(user!)}/release-email` }),
  },
  list(
    'invitation',
    'List invitations not accepted yet',
    ['id', 'email', 'role', 'has_link', 'customer_id', 'partner_id'],
    { customer: 'customer_id', partner: 'partner_id' },
    '/invitations',
  ),
  {
    ...{ noun: 'invitation', verb: 'link', summary: 'Make the link of an invitation; the one before no longer works' },
    ...{ positionals: ['invitation-id'], options: {}, required: [] },
    request: (_values, [invitation]) => ({ method: 'POST', path: `/invitations/${id(invitation!)}/link` }),
  },
  {
    ...{ noun: 'invitation', verb: 'withdraw', summary: 'Withdraw an invitation' },
    ...{ positionals: ['invitation-id'], options: {}, required: [], done: 'Withdrawn.' },
    request: (_values, [invitation]) => ({ method: 'DELETE', path: `/invitations/${id(invitation!)}` }),
  },

  {
    ...{ noun: 'secret', verb: 'rotate', summary: 'Give an application a new secret; shows it this once' },
    positionals: ['client-id'],
    options: { 'overlap-seconds': string },
    required: [],
    request: (values, [client]) => ({
      method: 'POST',
      path: `/applications/${id(client!)}/secret`,
      body: values['overlap-seconds'] === undefined ? {} : { overlap_seconds: Number(values['overlap-seconds']) },
    }),
  },

  list(
    'key',
    'List the signing keys',
    ['kid', 'alg', 'state', 'signs_from', 'signs_until', 'published_until'],
    {},
    '/signing-keys',
  ),
  {
    ...{ noun: 'key', verb: 'add', summary: 'Add a signing key: --alg RS256 or ES256' },
    ...{ positionals: [], options: { alg: string }, required: [] },
    request: (values) => ({ method: 'POST', path: '/signing-keys', body: pick(values, { alg: 'alg' }) }),
  },
  {
    ...{ noun: 'key', verb: 'remove', summary: 'Take a signing key out of use; --leaked unpublishes it at once' },
    ...{ positionals: ['kid'], options: { leaked: { type: 'boolean' } }, required: [], done: 'Removed.' },
    request: (values, [kid]) => ({
      method: 'DELETE',
      path: `/signing-keys/${id(kid!)}`,
      query: values.leaked ? { leaked: 'true' } : {},
    }),
  },

  {
    ...list(
      'audit',
      'List what happened, newest first',
      ['at', 'type', 'actor', 'application_id', 'customer_id', 'device_id', 'details'],
      { type: 'type', partner: 'partner_id', application: 'application_id', customer: 'customer_id' },
      '/audit-events',
    ),
    verb: null,
  },
]

function switchApplication(verb: string, summary: string, enabled: boolean): Command {
  return {
    ...{ noun: 'application', verb, summary, positionals: ['client-id'], options: {}, required: [] },
    request: (_values, [client]) => ({ method: 'PATCH', path: `/applications/${id(client!)}`, body: { enabled } }),
  }
}
