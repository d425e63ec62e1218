// Runs test files again and again, each time with other sources than those on the disk.
import { registerHooks } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { runTests } from './node-test.js'

/** @type {Map<string, string>} */
const sources = workerData
const standIn = new URL('node-test.js', import.meta.url).href
let run = 0

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'node:test' && context.parentURL !== standIn) return { url: standIn, shortCircuit: true }
    const found = next(specifier, context)
    // By another name each time, so that it is evaluated again.
    const mark = found.url.includes('?') ? '&' : '?'
    return sources.has(withoutQuery(found.url)) ? { ...found, url: `${found.url}${mark}run=${run}` } : found
  },
  load(url, context, next) {
    const source = sources.get(withoutQuery(url))
    return source === undefined ? next(url, context) : { format: 'module', source, shortCircuit: true }
  },
})

parentPort?.on('message', async (/** @type {{ url: string, source: string, tests: string[] }} */ message) => {
  run += 1
  sources.set(message.url, message.source)
  const outcome = await runTests(async () => {
    for (const test of message.tests) await import(test)
  })
  parentPort?.postMessage(outcome)
})

/** @param {string} url */
function withoutQuery(url) {
  return url.replace(/\?.*$/, '')
}
