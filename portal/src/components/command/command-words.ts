// What became of a command, in words for people.
import type { Command, CommandParameter, CommandState, DeclaredCommand } from '../../api/commands.ts'
import { formatNumber } from '../page/numbers.ts'

/** With a colour that says the same as the label. */
export const stateLooks: Record<CommandState, { label: string; color: string }> = {
  queued: { label: 'Waiting', color: 'gray' },
  sent: { label: 'Sent', color: 'brand' },
  in_progress: { label: 'In progress', color: 'brand' },
  done: { label: 'Done', color: 'green' },
  failed: { label: 'Failed', color: 'red' },
  rejected: { label: 'Rejected', color: 'red' },
  expired: { label: 'Expired', color: 'yellow' },
  unknown: { label: 'Unknown', color: 'yellow' },
  canceled: { label: 'Canceled', color: 'gray' },
}

export const commandStates = (Object.keys(stateLooks) as CommandState[]).map((value) => ({
  value,
  label: stateLooks[value].label,
}))

/** What happened and, where it matters, what to do next. */
export function commandSentence(command: Command, offline = false): string {
  const { state, delivered_at, started_at, attempts } = command
  switch (state) {
    case 'queued':
      if (attempts > 0) return 'The device did not confirm it. It is sent again.'
      return offline ? 'The device is offline. It gets the command when it is back.' : 'It waits for the device.'
    case 'sent':
      return delivered_at ? 'The device has received it.' : 'It is on its way to the device.'
    case 'in_progress':
      return 'The device is working on it.'
    case 'done':
      return 'The device has executed it.'
    case 'failed':
      return 'The device tried and failed.'
    case 'rejected':
      return 'The device refused it and did nothing.'
    case 'expired':
      return attempts > 0
        ? 'The device got it and reported nothing in time. It may have been executed: check the device.'
        : 'The device did not fetch it in time. It was not executed and never will be.'
    case 'unknown':
      return started_at
        ? 'The device began and then reported nothing. It may have been executed: check the device. A late report still counts.'
        : `The device got it ${attempts} times and never reported. It may have been executed: check the device. A late report still counts.`
    case 'canceled':
      return 'It was canceled before the device got it.'
  }
}

export function commandLabel({ label, name }: { label?: string | null | undefined; name: string }): string {
  return label || name
}

const sources: Record<Command['source'], string> = {
  portal: 'Portal',
  application: 'An application',
  api_key: 'An API key',
}

/** `Ada Byron`, `Northwind Insights (application)` */
export function senderOf({ created_by, source }: Command): string {
  const name = created_by?.name
  if (!name) return sources[source] ?? source
  return source === 'portal' ? name : `${name} (${source === 'api_key' ? 'API key' : 'application'})`
}

/** `Temperature 21.5, Boost yes`; a secret is never shown. */
export function parametersText(command: Command, declared?: DeclaredCommand): string {
  const labels = new Map((declared?.parameters ?? []).map((parameter) => [parameter.key, parameterLabel(parameter)]))
  return Object.entries(command.parameters)
    .map(([key, value]) => `${labels.get(key) ?? key}: ${command.secret.includes(key) ? '•••' : valueText(value)}`)
    .join(', ')
}

export function parameterLabel({ label, key }: CommandParameter): string {
  return label || key
}

export function valueText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'number') return formatNumber(value)
  return typeof value === 'string' ? value : JSON.stringify(value)
}
