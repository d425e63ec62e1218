// PgBouncer before one node.
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'
import { type Cluster, createFolder, listens, startProgram, writeConfig } from './cluster.ts'

/** Starts one in this mode and returns the address that leads through it; it ends with the cluster. */
export async function startPooler(parent: string, cluster: Cluster, mode: 'session' | 'transaction'): Promise<string> {
  const node = await cluster.leader()
  const { settings, ca, url } = cluster.managed
  const folder = createFolder(parent, `pgbouncer-${mode}`)
  const port = await freePort()
  const address = url(`127.0.0.1:${port}`, 'landbridge')
  const { username, password } = new URL(address)
  writeConfig(join(folder, 'users.txt'), `"${username}" "${password}"\n`)
  writeConfig(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=127.0.0.1 port=${node.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir = ${folder}
auth_type = scram-sha-256
client_tls_sslmode = require
client_tls_cert_file = ${settings.ssl_cert_file}
client_tls_key_file = ${settings.ssl_key_file}
server_tls_sslmode = verify-full
server_tls_ca_file = ${ca}
auth_file = ${join(folder, 'users.txt')}
pool_mode = ${mode}
default_pool_size = 30
max_client_conn = 100
`,
  )
  startProgram('/usr/sbin/pgbouncer', [join(folder, 'pgbouncer.ini')], { folder })
  await until(() => listens(port), 'PgBouncer is up')
  return address
}
