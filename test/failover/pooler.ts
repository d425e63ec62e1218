// PgBouncer before one node.
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'
import { createFolder, listens, type Node, startProgram, writeConfig } from './cluster.ts'

/** Starts one in this mode and returns the address that leads through it; it ends with the cluster. */
export async function startPooler(parent: string, node: Node, mode: 'session' | 'transaction'): Promise<string> {
  const folder = createFolder(parent, `pgbouncer-${mode}`)
  const port = await freePort()
  writeConfig(join(folder, 'users.txt'), '"postgres" ""\n')
  writeConfig(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=127.0.0.1 port=${node.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir = ${folder}
auth_type = trust
auth_file = ${join(folder, 'users.txt')}
pool_mode = ${mode}
default_pool_size = 30
max_client_conn = 100
`,
  )
  startProgram('/usr/sbin/pgbouncer', [join(folder, 'pgbouncer.ini')], { folder })
  await until(() => listens(port), 'PgBouncer is up')
  return `postgres://postgres@127.0.0.1:${port}/landbridge`
}
