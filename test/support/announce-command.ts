import type { Context } from '../../server/src/context.ts'
import { commandTopic } from '../../server/src/devices/live/topics.ts'
import { type QueuedCommand, queueCommand } from './commands.ts'

/** A command for a device, with the notification that the organization API sends with it; its id. */
export async function giveCommand(context: Context, command: QueuedCommand): Promise<string> {
  const id = await queueCommand(context.sql, command)
  await context.notifications.publish(context.sql, commandTopic, [command.device_id])
  return id
}
