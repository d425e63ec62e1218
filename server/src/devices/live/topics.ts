// Channels and topics of context.notifications, and what an item of each topic is.

/** To the processes of one hub cell; null is the one without a name. */
export function cellChannel(cell: string | null): string {
  return `landbridge cell ${cell ?? ''}`
}

/** To one process. */
export function processChannel(processId: string): string {
  return `landbridge process ${processId}`
}

/** `<device id>:<number>` of each new current connection, to the cell of the one before. */
export const connectedTopic = 'device.connected'

/** The id of a device whose credentials were revoked: it was removed, or it registered again and has a new key. */
export const revokedTopics = { removed: 'device.removed', rekeyed: 'device.rekeyed' } as const

/** `<customer id>:<device id>` of each device that sent telemetry, or that changed status or was removed. */
export const liveTopics = { telemetry: 'devices.telemetry', status: 'devices.status' } as const

/** `<customer id>:<device id>:<space id>` of each device that was moved, with the space it left; empty for none. */
export const movedTopic = 'devices.moved'

/** `<customer id>:<process id>` of each customer whose devices are watched live, and where. */
export const watchedTopic = 'devices.watched'

/** Within a process: `status_changes` has new rows. */
export const statusChangedTopic = 'devices.status_changed'

/** The id of a model whose devices may be due earlier than before: its threshold has changed. */
export const deadlinesDueTopic = 'devices.deadlines_due'

/** The id of a device that has another command to carry out, or other settings, than before. */
export const commandTopic = 'devices.command'
export const configTopic = 'devices.config'

/** The id of a partner one of whose devices has another command. */
export const fleetCommandTopic = 'partners.command'

/** The id of a command whose state has changed, for whoever waits for that. */
export const commandChangedTopic = 'commands.changed'
