import type { Worker } from 'node:cluster'

/**
 * Closes the connections that were on their way to a process when it died. `node:cluster` hands over one at a time per
 * listener and keeps it until the process confirms; of a process that is gone it keeps it for ever, and its caller would
 * wait for ever. The message is internal to Node.js: should it change, only this is lost.
 */
export function closeUnconfirmed(worker: Worker): void {
  const onTheirWay = new Map<string, { close(): void }>()
  const send = worker.process.send!.bind(worker.process) as (...args: unknown[]) => boolean
  worker.process.send = (...args: unknown[]) => {
    const [message, handle] = args as [{ act?: string; key?: string } | undefined, { close(): void } | undefined]
    // A handle that was confirmed is closed here already, and closing it again does nothing.
    if (message?.act === 'newconn' && message.key && handle) onTheirWay.set(message.key, handle)
    return send(...args)
  }
  worker.process.once('exit', () => {
    for (const handle of onTheirWay.values()) handle.close()
  })
}
