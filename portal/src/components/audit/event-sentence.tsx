import { Anchor, Text } from '@mantine/core'
import { Link, useLocation } from 'react-router'
import type { AuditEvent } from '../../api/organization.ts'
import { type Names, type Piece, type Reader, sentenceOf, sentenceOfMany } from './audit-sentences.ts'

export function actorName(
  { kind, id, name }: AuditEvent['actor'],
  names: Names,
  details?: AuditEvent['details'],
): string {
  const { sn } = details ?? {}
  if (kind === 'device' && typeof sn === 'string') return `Device ${sn}`
  const kinds: Record<string, string> = {
    operator: 'The operator',
    user: 'A user',
    application: 'An application',
    api_key: 'An API key',
    device: 'A device',
    system: 'The service',
    visitor: 'Someone',
  }
  const known = name ?? names[id ?? '']
  if (known !== undefined) return kind === 'api_key' ? `API key “${known}”` : known
  return kinds[kind] ?? kind
}

/** Without an id: the operator, the service, or somebody whom this reader may not know. */
function nameless({ actor }: AuditEvent, { unknown }: Reader): string {
  return unknown && /^(user|application|api_key)$/.test(actor.kind) ? unknown : actorName(actor, {})
}

interface SentenceProps {
  event: AuditEvent
  reader: Reader
  /** How many like it there are, of which this is the first: `100`. */
  count?: string | undefined
}

/** “Ada claimed Meter 7 into Floor 2”, “Ada claimed 100 devices”: things lead to their pages, the actor to everything they did. */
export function EventSentence({ event, reader, count }: SentenceProps) {
  const pieces = count ? [{ text: sentenceOfMany(event, count) }] : sentenceOf(event, reader)
  return (
    <Text size="sm" component="span" style={{ overflowWrap: 'anywhere' }}>
      {count && event.actor.kind === 'device' ? `${count} devices` : <ActorName event={event} reader={reader} />}{' '}
      {pieces.map(({ text, to }: Piece, index) =>
        to ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one sentence keep their places
          <Anchor key={index} component={Link} to={to} size="sm" underline="always">
            {text}
          </Anchor>
        ) : (
          text
        ),
      )}
    </Text>
  )
}

/** A device leads to its page, everyone else to what they did. */
function ActorName({ event, reader }: SentenceProps) {
  const { search } = useLocation()
  const { id, kind } = event.actor
  const name = id ? actorName(event.actor, reader.names, event.details) : nameless(event, reader)
  const page = id && kind === 'device' ? reader.pageOf('device', id) : undefined
  if (page) {
    return (
      <Anchor component={Link} to={page} size="sm" underline="always">
        {reader.names[id!] ?? name}
      </Anchor>
    )
  }
  if (!id || !reader.auditLog || reader.byActor === false) return name
  const byActor = new URLSearchParams(search)
  byActor.set('actor_id', id)
  return (
    <Anchor component={Link} to={`${reader.auditLog}?${byActor}`} size="sm" c="inherit" fw={500}>
      {name}
    </Anchor>
  )
}
