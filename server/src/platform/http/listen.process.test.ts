import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'
import Fastify from 'fastify'
import type { App } from './app.ts'
import { connectionsWaiting, listen } from './listen.ts'

const callers = 700

/** Opens connections, and reports how many of them wait to be accepted. */
const source = `
  const { connect } = require('node:net')
  const { readFileSync } = require('node:fs')
  const { parentPort, workerData } = require('node:worker_threads')
  const { port, callers, done } = workerData
  const sockets = Array.from({ length: callers }, () => connect({ port, host: '127.0.0.1' }))
  const flag = new Int32Array(done)
  // Of a listening socket, the kernel shows the connections that wait as bytes to read.
  const waiting = () => {
    const address = ':' + port.toString(16).toUpperCase().padStart(4, '0') + ' '
    const line = readFileSync('/proc/net/tcp', 'latin1').split('\\n').find((one) => one.includes(address) && one.includes(' 0A '))
    return parseInt(line.trim().split(/ +/)[4].split(':')[1], 16)
  }
  const until = Date.now() + 10_000
  const look = setInterval(() => {
    const count = waiting()
    if (count < callers && Date.now() < until) return
    clearInterval(look)
    for (const socket of sockets) socket.destroy()
    Atomics.store(flag, 1, count)
    Atomics.store(flag, 0, 1)
    Atomics.notify(flag, 0)
  }, 20)
`

describe('connections that come while the process is busy', { skip: process.platform !== 'linux' }, () => {
  it(`${callers} of them wait for it, and none is sent away to try again`, async (t) => {
    const allowed = Number(readFileSync('/proc/sys/net/core/somaxconn', 'latin1'))
    if (allowed < callers) return t.skip(`this kernel lets no more than ${allowed} wait (net.core.somaxconn)`)
    assert.ok(connectionsWaiting >= callers)
    const app = Fastify() as unknown as App
    const port = await listen(app, { variable: 'PORT', host: '127.0.0.1', port: 0 })
    const done = new SharedArrayBuffer(8)
    const worker = new Worker(source, { eval: true, workerData: { port, callers, done } })
    // Busy: the main thread accepts nothing until the other one has seen how many wait.
    Atomics.wait(new Int32Array(done), 0, 0, 30_000)
    const waiting = Atomics.load(new Int32Array(done), 1)
    await worker.terminate()
    await app.close()
    assert.equal(waiting, callers)
  })
})
