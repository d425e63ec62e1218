// The driver as published (postgres 3.4.9) dies with its connection: a statement sent just after a connection closed
// throws where nobody can catch it, which ends the process, and one that was waiting to be sent at that moment keeps the
// connection from ever sending again (https://github.com/porsager/postgres/issues/1208). So its source is mended while
// it is loaded. Goes as soon as a release does it.
import { registerHooks } from 'node:module'

const mends = [
  {
    from: '    const x = socket.write(chunk, fn)\n',
    to: `    if (socket === null) {
      const lost = Errors.connection('CONNECTION_CLOSED', options, socket)
      chunk = nextWriteTimer = null
      query && queryError(query, lost)
      while (sent.length)
        queryError(sent.shift(), lost)
      return true
    }
    const x = socket.write(chunk, fn)\n`,
  },
  // Asks for the array types of a new connection in nobody's name; who waits for the connection is told by other means.
  { from: 'return fetchArrayTypes()', to: 'return fetchArrayTypes().catch(() => {})' },
  // What a connection leaves unsent when it goes is not for the next one.
  {
    from: '    clearImmediate(nextWriteTimer)\n    socket.removeListener',
    to: '    clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n    socket.removeListener',
  },
]

const hooks = registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.endsWith('/postgres/src/connection.js')) return loaded
    let source = String(loaded.source)
    for (const { from, to } of mends) {
      if (!source.includes(from)) throw new Error('The driver has changed: see whether driver.ts is still needed.')
      source = source.replace(from, () => to)
    }
    return { ...loaded, source }
  },
})
export const { default: postgres } = await import('postgres')
hooks.deregister()
