// Mosquitto as Debian packages it, where it is installed: over the same kind of TLS and QoS 1, nobody subscribed. It
// acknowledges from memory. Its persistence would write only what waits for a subscriber, which is nothing here.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCertificate } from '../../server/src/platform/tls/self-signed-certificate.ts'
import { onCleanUp, temporaryFolder } from '../clean-up.ts'

/** Debian installs it where only root's PATH looks. */
export function findMosquitto(): string | null {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']
  for (const folder of folders) {
    const program = join(folder, 'mosquitto')
    try {
      accessSync(program, constants.X_OK)
      return program
    } catch {}
  }
  return null
}

export async function startMosquitto(program: string): Promise<{ port: number; stop(): Promise<void> }> {
  const { folder, remove } = await temporaryFolder()
  const { certificate, privateKey } = await createCertificate([], new Date())
  await writeFile(join(folder, 'certificate.pem'), certificate)
  await writeFile(join(folder, 'key.pem'), privateKey, { mode: 0o600 })
  const port = await freePort()
  const lines = [
    `listener ${port} 127.0.0.1`,
    `certfile ${join(folder, 'certificate.pem')}`,
    `keyfile ${join(folder, 'key.pem')}`,
    'allow_anonymous true',
    'set_tcp_nodelay true',
    // It would print a line for every connection that a load generator ends.
    'log_dest none',
    // As root it would change to a user of its own, who cannot read the folder.
    ...(process.getuid?.() === 0 ? ['user root'] : []),
  ]
  await writeFile(join(folder, 'mosquitto.conf'), `${lines.join('\n')}\n`)
  const child = spawn(program, ['-c', join(folder, 'mosquitto.conf')], { stdio: 'ignore' })
  const end = onCleanUp(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill()
    await once(child, 'exit')
  })
  await accepting(port, () => child.exitCode === null && child.signalCode === null)
  const stop = async () => {
    await end()
    await remove()
  }
  return { port, stop }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

async function accepting(port: number, alive: () => boolean): Promise<void> {
  for (;;) {
    if (!alive()) throw new Error('Mosquitto ended at its start')
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return void socket.destroy()
    } catch {
      await sleep(50)
    }
  }
}
