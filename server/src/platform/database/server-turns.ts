import { ConnectionLost } from './connection-lost.ts'

export type InTurn = <Result>(server: string, work: () => Promise<Result>) => Promise<Result>

/**
 * One piece of work at a time for each server of a distributed database: a server that stops responding then holds one
 * connection of a pool until that is noticed, and the others are free for the other servers (decision 3.26).
 */
export function turnsPerServer(waitSeconds: number): InTurn {
  /** Of servers with work under way, those that wait. */
  const queues = new Map<string, (() => void)[]>()

  function turn(server: string): Promise<void> {
    const queue = queues.get(server)
    if (!queue) {
      queues.set(server, [])
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(late)
        resolve()
      }
      const late = setTimeout(() => {
        queue.splice(queue.indexOf(start), 1)
        reject(new ConnectionLost(`The database server ${server} is busy.`, { code: 'SERVER_BUSY' }))
      }, waitSeconds * 1000)
      queue.push(start)
    })
  }

  return async (server, work) => {
    await turn(server)
    try {
      return await work()
    } finally {
      const queue = queues.get(server)!
      const following = queue.shift()
      if (following) following()
      else queues.delete(server)
    }
  }
}
