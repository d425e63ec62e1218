import type { Context } from '../../context.ts'
import { maxMessageBytes } from '../../platform/database/notifications.ts'
import type { Sql } from '../../platform/database/sql.ts'

/** Why a device's credentials died: it was removed, or it registered again and has a new key. */
export type Ending = 'removed' | 'rekeyed'

/**
 * Ends the MQTT connections of devices whose credentials have just died, on whichever process they are. Called in the
 * transaction that ends the credentials: the word goes out with its commit.
 */
export async function disconnectDevices(
  context: Context,
  sql: Sql,
  ending: Ending,
  deviceIds: readonly string[],
): Promise<void> {
  for (const ids of packMessages(deviceIds)) await context.notifications.publish(sql, endingTopic(ending), ids)
}

export function endingTopic(ending: Ending): string {
  return `device.${ending}`
}

/** Words joined by spaces, as many a message as fit. */
export function packMessages(words: readonly string[]): string[] {
  const messages: string[] = []
  for (const word of words) {
    const last = messages.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= maxMessageBytes)
      messages.push(`${messages.pop()} ${word}`)
    else messages.push(word)
  }
  return messages
}
