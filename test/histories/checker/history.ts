// What outsiders did and saw: all that the checker is told. Instants are milliseconds of the recorder's clock.

export interface Call<Kind extends string, Input, Output> {
  /** The order in which calls were begun. */
  n: number
  actor: string
  kind: Kind
  /** What it is about: a grant, the identity of a device, an idempotency key. Calls of different keys have nothing to do with each other. */
  key: string
  input: Input
  invoked: number
  /** Null: nobody knows whether it happened, or whether it will. */
  returned: number | null
  ok: Output | null
  /** The code of a refusal. Neither `ok` nor this: unknown. */
  refused: string | null
}

/** Secrets and ids of tokens are labels of the recorder, so that a history can be printed. */
export interface Tokens {
  access: string
  refresh: string
}

export type GrantCall =
  | Call<'authorize', { as: 'administrator' | 'member' }, { code: string }>
  | Call<'exchange', { code: string }, Tokens>
  | Call<'refresh', { token: string }, Tokens>
  | Call<'revoke', { token: string }, object>
  | Call<'use', { token: string }, object>
  | Call<'withdraw', object, object>
  | Call<'narrow', { policy: 'everyone' | 'administrators'; revoke_tokens: boolean }, object>
  | Call<'disable', object, object>
  | Call<'enable', object, object>

export type DeviceCall =
  | Call<'register', object, { id: string; access_key: string }>
  | Call<'contact', { id: string; access_key: string }, object>
  | Call<'claim', { customer: string }, { id: string }>
  | Call<'remove', { id: string; by: string }, object>
  | Call<'look', { id: string; customer: string }, object>

export type CreateCall =
  | Call<'create', { name: string }, { id: string }>
  | Call<'list', { name: string }, { ids: string[] }>

export type InvitationCall =
  | Call<'invite', object, { link: string }>
  | Call<'relink', object, { link: string }>
  | Call<'accept', { link: string }, object>
  | Call<'uninvite', object, object>

export interface Message {
  /** In its telemetries: tells which stored message it is. Repeats have the same one. */
  mark: string
  message_id?: string
  timestamp?: string
  status: string
  /** Null removes a data point. */
  telemetries: Record<string, number | string | boolean | null>
  /** Replaces the whole state. */
  override?: boolean
}

export interface StoredMessage {
  message_id: string | null
  timestamp: string
  received_at: string
  status: string
  /** Null removes a data point. */
  telemetries: Record<string, number | string | boolean | null>
  /** Replaces the whole state. */
  override?: boolean
}

export type TelemetryCall =
  | Call<
      'send',
      {
        message: Message
        by: 'http' | 'mass' | 'mqtt'
        /** The time of day at which it was sent. */
        sent_at: number
      },
      object
    >
  | Call<'state', { reader: string }, { status: string; state: Record<string, { value: unknown; at: string }> }>
  | Call<'pages', { order: 'oldest_first' | 'newest_first'; limit: number }, { pages: StoredMessage[][] }>

/** Keyed by the device. `at` is the time of day at which a call was begun. */
export type CommandCall =
  | Call<
      'order',
      { name: string; customer: string; by: 'one' | 'bulk'; timeout: number; at: number },
      { id: string; expires_at: string }
    >
  | Call<'cancel', { id: string; at: number }, object>
  /**
   * How a device, or its partner's cloud, gets a command: null where none waits. Over MQTT it begins with the SUBSCRIBE, and
   * null says that for some seconds nothing came, over a line that was alive and while no fault kept the service from it.
   */
  | Call<
      'take',
      /** `confirms` is the command of this device that the poll over the fleet says has arrived. */
      { way: 'http' | 'mqtt' | 'fleet'; at: number; confirms?: string },
      { command: { id: string; attempt: number; expires_at: string } | null }
    >
  | Call<'report', { id: string; status: string; message: string; way: 'http' | 'mqtt' | 'fleet'; at: number }, object>
  | Call<
      'check',
      { id: string; customer: string; at: number },
      {
        state: string
        attempts: number
        sent_at: string | null
        delivered_at: string | null
        expires_at: string
        message: string | null
      }
    >
  | Call<'orders', { customer: string }, { ids: string[] }>

export type AnyCall = GrantCall | DeviceCall | CreateCall | InvitationCall | TelemetryCall | CommandCall

export interface Delivery {
  /** When it arrived at the partner's cloud. */
  at: number
  id: string
  type: string
  timestamp: string
  data: Record<string, string>
}

/** An event of a customer's live stream, which is opened again whenever it ends. */
export interface LiveEvent {
  at: number
  /** The customer. */
  stream: string
  event: string
  /** Without a device where it is about none. */
  data: { device_id: string; status?: string; state?: Record<string, { value: unknown; at: string }> }
}

/** A live stream that was opened with an access token. */
export interface TokenStream {
  token: string
  opened: number
  /** Null: it was still open when the recorder had waited long enough. */
  ended: number | null
}

export interface History {
  name: string
  calls: AnyCall[]
  deliveries: Delivery[]
  live: LiveEvent[]
  streams: TokenStream[]
  /** Faults that happened meanwhile: for people, no rule depends on them. */
  faults: { at: number; kind: string }[]
}

export interface Violation {
  rule: string
  sentence: string
  /** The shortest part of the history that shows it. */
  calls: AnyCall[]
  deliveries?: Delivery[]
}

export function isUnknown({ ok, refused }: { ok: unknown; refused: unknown }): boolean {
  return ok === null && refused === null
}

export function callsOf<Kind extends AnyCall['kind']>(
  { calls }: Pick<History, 'calls'>,
  ...kinds: Kind[]
): Extract<AnyCall, { kind: Kind }>[] {
  return calls.filter((call): call is Extract<AnyCall, { kind: Kind }> => kinds.includes(call.kind as Kind))
}

export function describeCall({ n, actor, kind, key, input, invoked, returned, ok, refused }: AnyCall): string {
  const outcome = refused ?? (ok === null ? 'unknown' : brief(ok))
  const until = returned === null ? '…' : returned.toFixed(0)
  return `${String(n).padStart(4)}  ${invoked.toFixed(0).padStart(7)}–${until.padEnd(7)} ${actor.padEnd(9)} ${kind} ${key} ${brief(input)} → ${outcome}`
}

function brief(value: object): string {
  const text = JSON.stringify(value)
  return text === '{}' ? 'ok' : text.length > 300 ? `${text.slice(0, 297)}…` : text
}

export function describeViolation(name: string, { rule, sentence, calls, deliveries = [] }: Violation): string {
  const lines = calls.map(describeCall)
  const received = deliveries.map(
    ({ at, id, type, timestamp, data }) =>
      `      ${at.toFixed(0).padStart(7)}  webhook ${id} ${type} ${timestamp} ${brief(data)}`,
  )
  return [`✖ ${name}: ${rule}: ${sentence}`, ...lines, ...received].join('\n')
}
