import { randomBytes } from 'node:crypto'
import { type CommandLine, commandLine, type Values } from './command-line.ts'

interface Request {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  query?: Record<string, string>
  body?: object
  /** What the command generated itself, to be printed with the response. */
  generated?: Record<string, string>
}

export interface Table {
  /** The fields that are printed. */
  columns: string[]
  /** What an empty list says there is none of, and how to get the first one. */
  empty: { things: string; first: string }
}

/** A command that is one call of the operator API. */
export interface OperatorCommand extends CommandLine {
  /** Of a command that prints a list. */
  table?: Table
  /** Printed when the response has no body. */
  done?: string
  request(values: Values, positionals: string[]): Request
}

const string = { type: 'string' } as const
const strings = { type: 'string', multiple: true } as const
const id = encodeURIComponent

function command(
  usage: string,
  summary: string,
  more: Partial<OperatorCommand> & Pick<OperatorCommand, 'request'>,
): OperatorCommand {
  return { ...commandLine(usage, summary), ...more }
}

/** `filters` maps options to the query parameters of the API. */
function list(
  usage: string,
  summary: string,
  columns: string[],
  path: string,
  empty: Table['empty'],
  filters: Record<string, string> = {},
): OperatorCommand {
  const options = Object.fromEntries(Object.keys(filters).map((name) => [name, string]))
  const request = (values: Values): Request => ({ method: 'GET', path, query: pick(values, filters) })
  return command(usage, summary, { table: { columns, empty }, options, request })
}

function show(noun: string, name: string, path: string): OperatorCommand {
  return command(`${noun} show <${name}>`, `Show one ${noun}`, {
    request: (_values, [value]) => ({ method: 'GET', path: `${path}/${id(value!)}` }),
  })
}

/** The options that were given, under the names the API has for them. */
function pick(values: Values, names: Record<string, string>): Record<string, string> {
  const given = Object.entries(names).filter(([option]) => values[option] !== undefined)
  return Object.fromEntries(given.map(([option, field]) => [field, String(values[option])]))
}

/** Without --password one is generated and printed once, so that it does not end up in the history of a shell. */
function passwordOf({ password }: Values): { password: string; generated: Record<string, string> } {
  if (typeof password === 'string') return { password, generated: {} }
  const random = randomBytes(12).toString('base64url')
  return { password: random, generated: { password: random } }
}

function setEnabled(verb: string, summary: string, enabled: boolean): OperatorCommand {
  return command(`application ${verb} <client-id>`, summary, {
    request: (_values, [client]) => ({ method: 'PATCH', path: `/applications/${id(client!)}`, body: { enabled } }),
  })
}

/** `--asks-for "devices read Shows which rooms are free."`, once for each area. */
function askedFor({ 'asks-for': asked }: Values): { requested_permissions?: object | null } {
  if (asked === undefined) return {}
  const lines = asked as string[]
  if (lines.join() === 'everything') return { requested_permissions: null }
  const entries = lines.map((line) => {
    const [, area = line, level = '', reason = ''] = /^\s*(\S+)\s+(\S+)\s*(.*)$/s.exec(line) ?? []
    return [area, { level, reason }]
  })
  return { requested_permissions: Object.fromEntries(entries) }
}

const redirectOptions = { 'redirect-over-seconds': string, 'no-redirect': { type: 'boolean' } } as const
const redirectHelp = '--redirect-over-seconds 600, or --no-redirect'

function redirectOf(values: Values): { redirect_over_seconds?: number | null } {
  if (values['no-redirect']) return { redirect_over_seconds: null }
  const seconds = values['redirect-over-seconds']
  return seconds === undefined ? {} : { redirect_over_seconds: Number(seconds) }
}

export const operatorCommands: OperatorCommand[] = [
  list('partner list', 'List partners', ['id', 'name', 'portal_domain', 'created_at'], '/partners', {
    things: 'partners',
    first: 'Create one: npx landbridge partner create --name <name> --email <email>',
  }),
  show('partner', 'partner-id', '/partners'),
  command('partner create', 'Create a partner with its administrator and lab tenant', {
    options: { name: string, 'portal-domain': string, 'admin-name': string, email: string, password: string },
    required: ['name', 'email'],
    request: (values) => {
      const { password, generated } = passwordOf(values)
      const admin = { name: values['admin-name'] ?? values.email, email: values.email, password }
      const body = { name: values.name, portal_domain: values['portal-domain'] ?? null, admin }
      return { method: 'POST', path: '/partners', body, generated }
    },
  }),
  command('partner change <partner-id>', 'Rename a partner or set its portal domain ("" removes it)', {
    options: { name: string, 'portal-domain': string },
    request: (values, [partner]) => {
      const domain = values['portal-domain']
      const body = {
        ...pick(values, { name: 'name' }),
        ...(domain === undefined ? {} : { portal_domain: domain || null }),
      }
      return { method: 'PATCH', path: `/partners/${id(partner!)}`, body }
    },
  }),

  command('application list', 'List applications, of all partners or of one', {
    table: {
      columns: ['client_id', 'name', 'enabled', 'partner_id', 'redirect_uris'],
      empty: {
        things: 'applications',
        first:
          'Register one: npx landbridge application create --partner <partner-id> --name <name> --redirect-uri <uri>',
      },
    },
    options: { partner: string },
    request: ({ partner }) => ({
      method: 'GET',
      path: partner === undefined ? '/applications' : `/partners/${id(String(partner))}/applications`,
    }),
  }),
  show('application', 'client-id', '/applications'),
  command('application create', 'Register an application and print its secret, this once', {
    options: { partner: string, name: string, 'redirect-uri': strings, alg: string, 'asks-for': strings },
    required: ['partner', 'name', 'redirect-uri'],
    request: (values) => ({
      method: 'POST',
      path: `/partners/${id(String(values.partner))}/applications`,
      body: {
        name: values.name,
        redirect_uris: values['redirect-uri'],
        ...pick(values, { alg: 'id_token_alg' }),
        ...askedFor(values),
      },
    }),
  }),
  command('application change <client-id>', 'Rename an application, or replace its redirect URIs or what it asks for', {
    options: { name: string, 'redirect-uri': strings, 'asks-for': strings },
    request: (values, [client]) => {
      const uris = values['redirect-uri']
      const body = { ...pick(values, { name: 'name' }), ...(uris ? { redirect_uris: uris } : {}), ...askedFor(values) }
      return { method: 'PATCH', path: `/applications/${id(client!)}`, body }
    },
  }),
  setEnabled('disable', 'Disable an application and revoke all of its grants', false),
  setEnabled('enable', 'Enable an application (its grants stay revoked)', true),

  list(
    'customer list',
    'List customers',
    ['id', 'name', 'lab', 'partner_id', 'created_at'],
    '/customers',
    {
      things: 'customers',
      first: 'Create one: npx landbridge customer create --partner <partner-id> --name <name>',
    },
    { partner: 'partner_id' },
  ),
  show('customer', 'customer-id', '/customers'),
  command('customer create', 'Create a customer', {
    options: { partner: string, name: string },
    required: ['partner', 'name'],
    request: ({ partner, name }) => ({ method: 'POST', path: '/customers', body: { partner_id: partner, name } }),
  }),

  command('user list', 'List all users, or the users of one customer', {
    table: {
      columns: ['id', 'email', 'name', 'role', 'active'],
      empty: {
        things: 'users',
        first: 'Add one: npx landbridge user add --customer <customer-id> --name <name> --email <email>',
      },
    },
    options: { customer: string, email: string },
    request: (values) => ({
      method: 'GET',
      path: values.customer === undefined ? '/users' : `/customers/${id(String(values.customer))}/users`,
      query: pick(values, { email: 'email' }),
    }),
  }),
  command('user add', 'Add a user to a customer (an email that has an account is invited)', {
    options: { customer: string, name: string, email: string, role: string, password: string, group: strings },
    required: ['customer', 'name', 'email'],
    request: (values) => {
      const { password, generated } = passwordOf(values)
      const role = values.role ?? 'member'
      const body = { name: values.name, email: values.email, password, role, groups: values.group ?? [] }
      return { method: 'POST', path: `/customers/${id(String(values.customer))}/users`, body, generated }
    },
  }),
  command('user reset-password <user-id>', 'Create a one-time link to set a new password', {
    request: (_values, [user]) => ({ method: 'POST', path: `/users/${id(user!)}/password-reset` }),
  }),
  command('user end-sessions <user-id>', 'Sign a user out everywhere', {
    request: (_values, [user]) => ({ method: 'POST', path: `/users/${id(user!)}/end-sessions` }),
  }),
  command('user release-email <user-id>', 'Release the email of an account that somebody else created', {
    request: (_values, [user]) => ({ method: 'POST', path: `/users/${id(user!)}/release-email` }),
  }),
  command('user reset-second-factors <user-id>', 'Remove the second factors of a person in 24 hours', {
    request: (_values, [user]) => ({ method: 'POST', path: `/users/${id(user!)}/second-factor-reset` }),
  }),
  command('user cancel-reset <user-id>', 'Cancel the reset of second factors', {
    request: (_values, [user]) => ({ method: 'DELETE', path: `/users/${id(user!)}/second-factor-reset` }),
  }),
  list(
    'invitation list',
    'List pending invitations',
    ['id', 'email', 'role', 'has_link', 'customer_id', 'partner_id'],
    '/invitations',
    {
      things: 'pending invitations',
      first: 'Who is added with an email that has an account is invited: npx landbridge user add --help',
    },
    { customer: 'customer_id', partner: 'partner_id' },
  ),
  command('invitation link <invitation-id>', 'Create a new link of an invitation (an earlier link stops working)', {
    request: (_values, [invitation]) => ({ method: 'POST', path: `/invitations/${id(invitation!)}/link` }),
  }),
  command('invitation withdraw <invitation-id>', 'Withdraw an invitation', {
    done: 'Withdrawn.',
    request: (_values, [invitation]) => ({ method: 'DELETE', path: `/invitations/${id(invitation!)}` }),
  }),

  command('secret rotate <client-id>', 'Create a new secret of an application and print it, this once', {
    options: { 'overlap-seconds': string },
    request: (values, [client]) => {
      const overlap = values['overlap-seconds']
      const body = overlap === undefined ? {} : { overlap_seconds: Number(overlap) }
      return { method: 'POST', path: `/applications/${id(client!)}/secret`, body }
    },
  }),

  list(
    'key list',
    'List the signing keys',
    ['kid', 'alg', 'state', 'signs_from', 'signs_until', 'published_until'],
    '/signing-keys',
    { things: 'signing keys', first: 'id_tokens cannot be signed. Add one: npx landbridge key add' },
  ),
  command('key add', 'Add a signing key (--alg RS256 or ES256)', {
    options: { alg: string },
    request: (values) => ({ method: 'POST', path: '/signing-keys', body: pick(values, { alg: 'alg' }) }),
  }),
  command('key remove <kid>', 'Remove a signing key (--leaked unpublishes it at once)', {
    options: { leaked: { type: 'boolean' } },
    done: 'Removed.',
    request: (values, [kid]) => ({
      method: 'DELETE',
      path: `/signing-keys/${id(kid!)}`,
      query: values.leaked ? { leaked: 'true' } : {},
    }),
  }),

  list('cell list', 'List the hub cells', ['name', 'state', 'running', 'buckets', 'hub_url', 'seen_at'], '/hub-cells', {
    things: 'hub cells',
    first: 'All processes serve all devices. A process started with LANDBRIDGE_CELL=<name> adds one.',
  }),
  command('cell rebalance', `Give every open hub cell the same number of devices (${redirectHelp})`, {
    options: redirectOptions,
    request: (values) => ({ method: 'POST', path: '/hub-cells/rebalance', body: redirectOf(values) }),
  }),
  command('cell move <cell>', 'Move --buckets of 1,024 to a hub cell, from those with the most or --from one', {
    options: { buckets: string, from: string, ...redirectOptions },
    required: ['buckets'],
    request: (values, [cell]) => ({
      method: 'POST',
      path: `/hub-cells/${id(cell!)}/move`,
      body: { buckets: Number(values.buckets), ...pick(values, { from: 'from_cell' }), ...redirectOf(values) },
    }),
  }),
  command('cell drain <cell>', 'Move all devices of a hub cell to the other open ones', {
    options: redirectOptions,
    request: (values, [cell]) => ({
      method: 'POST',
      path: `/hub-cells/${id(cell!)}/drain`,
      body: redirectOf(values),
    }),
  }),
  command('cell open <cell>', 'Open a hub cell that was drained', {
    request: (_values, [cell]) => ({ method: 'POST', path: `/hub-cells/${id(cell!)}/open` }),
  }),
  command('cell remove <cell>', 'Remove a hub cell that has no devices and no running process', {
    done: 'Removed.',
    request: (_values, [cell]) => ({ method: 'DELETE', path: `/hub-cells/${id(cell!)}` }),
  }),

  list(
    'audit',
    'List audit events, newest first',
    ['at', 'type', 'actor', 'application_id', 'customer_id', 'device_id', 'details'],
    '/audit-events',
    { things: 'audit events', first: 'They appear as soon as somebody does something.' },
    {
      ...{ type: 'type', partner: 'partner_id', application: 'application_id', customer: 'customer_id' },
      ...{ actor: 'actor_id', device: 'device_id', since: 'since', until: 'until' },
    },
  ),
]
