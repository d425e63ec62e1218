import { Anchor, Text } from '@mantine/core'
import { Link, useLocation } from 'react-router'
import type { AuditEvent } from '../api/organization.ts'
import { type Names, type Reader, sentenceOf } from './audit-sentences.ts'

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

/** “Ada claimed Meter 7 into Floor 2”: things lead to their pages, the actor to everything they did. */
export function EventSentence({ event, reader }: { event: AuditEvent; reader: Reader }) {
  const { search } = useLocation()
  const { id } = event.actor
  const byActor = new URLSearchParams(search)
  if (id) byActor.set('actor_id', id)
  const name = id ? actorName(event.actor, reader.names, event.details) : nameless(event, reader)
  return (
    <Text size="sm" component="span" style={{ overflowWrap: 'anywhere' }}>
      {id && reader.auditLog && reader.byActor !== false ? (
        <Anchor component={Link} to={`${reader.auditLog}?${byActor}`} size="sm" c="inherit" fw={500}>
          {name}
        </Anchor>
      ) : (
        name
      )}{' '}
      {sentenceOf(event, reader).map(({ text, to }, index) =>
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
