// What the tests of pure files need of node:test, so that one thread can run them a thousand times.
import { mock } from 'node:test'

/** @typedef {(context: { mock: typeof mock }) => unknown} Test */

/** @type {Test[]} */
let tests = []
/** @type {(() => unknown)[]} */
let afterwards = []

/**
 * @param {string} _name
 * @param {Test} test
 */
export function it(_name, test) {
  tests.push(test)
}

export { it as test }

/**
 * @param {string} _name
 * @param {() => void} suite
 */
export function describe(_name, suite) {
  suite()
}

/** @param {() => unknown} hook */
export function after(hook) {
  afterwards.push(hook)
}

/**
 * Loads files and runs their tests, up to the first failure. `awaited` is whether something was, which may have left something
 * behind in the thread.
 * @param {() => Promise<void>} load
 */
export async function runTests(load) {
  tests = []
  afterwards = []
  let awaited = false
  try {
    await load()
    for (const test of tests) {
      const result = test({ mock })
      if (result instanceof Promise) {
        awaited = true
        await result
      }
      mock.restoreAll()
    }
    for (const hook of afterwards) await hook()
    return { failure: null, awaited }
  } catch (error) {
    return { failure: String(error), awaited: awaited || afterwards.length > 0 }
  }
}
