import { type Command, getCommand } from '../../devices/commands/read-commands.ts'
import type { CustomerOwner } from '../../devices/registry/devices.ts'
import { notAuthorized } from '../../platform/refusal.ts'
import type { Context } from '../context.ts'
import type { StreamCredential } from './stream-credentials.ts'

interface Waiting {
  milliseconds: number
  /** Aborted when the caller has left. */
  left: AbortSignal
  credential: StreamCredential
}

/** The command once it has changed, or after a while. Ends with the credential, and holds no connection meanwhile. */
export async function changedCommand(
  context: Context,
  owner: CustomerOwner,
  seen: Command,
  { milliseconds, left, credential }: Waiting,
): Promise<Command> {
  const read = () => getCommand(context, owner, seen.device_id, seen.id)
  const ended = new AbortController()
  const stop = await context.streamCredentials.watch(credential, () => ended.abort())
  const wait = await context.commandWaits.open(seen.id).catch((error) => {
    stop()
    throw error
  })
  try {
    // Again, for a change between the first look and the subscription.
    const now = await read()
    if (now.state !== seen.state) return now
    await wait.change(milliseconds, AbortSignal.any([left, ended.signal]))
    if (ended.signal.aborted) throw notAuthorized('the credential ended during the wait')
    return await read()
  } finally {
    wait.close()
    stop()
  }
}
