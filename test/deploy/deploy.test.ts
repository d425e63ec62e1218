// deploy/ is configuration that no program of ours reads: a name that drifts from the service's would only be seen in production.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { readConfig } from '../../server/src/config.ts'

const read = (name: string) => readFile(new URL(`../../deploy/${name}`, import.meta.url), 'utf8')

interface Service {
  environment: Record<string, string>
  networks: { inside?: { ipv4_address?: string } }
  ports?: string[]
}
const { services }: { services: Record<string, Service> } = parse(await read('compose.yaml'), { merge: true })
const processes = Object.entries(services).filter(([name]) => name.startsWith('landbridge-'))

/** Every variable that config.ts asks for. */
function knownVariables(): Set<string> {
  const asked = new Set<string>()
  readConfig(new Proxy({}, { get: (_, name) => void asked.add(String(name)) }))
  return asked
}

/** NAME=value lines, those behind a # included: an example that is switched on must be right as well. */
function variablesOf(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/^#?([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]))
}

const filledIn = {
  ...variablesOf(await read('example.env')),
  POSTGRES_PASSWORD: 'f'.repeat(48),
  LANDBRIDGE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  LANDBRIDGE_OPERATOR_KEY: 'f'.repeat(48),
} as Record<string, string>

/** `${NAME:-default}` and `${NAME:?message}`, as compose reads them. */
function interpolate(text: string): string {
  return text.replace(/\$\{([A-Z_]+):([-?])([^}]*)\}/g, (_, name: string, kind: string, rest: string) => {
    assert.ok(name in filledIn, `deploy/example.env does not name ${name}, which compose.yaml needs`)
    return filledIn[name] || (kind === '-' ? rest : assert.fail(`${name} is empty`))
  })
}

test('compose.yaml starts three processes, and the service accepts every setting it is given', () => {
  assert.equal(processes.length, 3)
  const known = knownVariables()
  for (const [name, { environment }] of processes) {
    const given = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, interpolate(value)]))
    for (const variable of Object.keys(given)) assert.ok(known.has(variable), `${name}: nothing reads ${variable}`)
    assert.deepEqual(readConfig(given).faults, [], name)
    assert.equal(readConfig(given).config.lab, false, 'a lab has credentials that anyone can read in the log')
  }
})

test('example.env names nothing that neither compose.yaml nor compose itself reads', async () => {
  const compose = await read('compose.yaml')
  for (const name of Object.keys(variablesOf(await read('example.env')))) {
    assert.ok(name === 'COMPOSE_PROJECT_NAME' || compose.includes(`\${${name}:`), name)
  }
})

test('the balancer knows every process on all three ports, asks /readyz, and is the only trusted proxy', async () => {
  const balancer = await read('haproxy.cfg')
  const { config } = readConfig({})
  for (const port of [config.port, config.staticCertPort, config.mqttsPort]) {
    for (const [name] of processes) assert.match(balancer, new RegExp(`^ +server ${name} ${name}:${port}$`, 'm'))
  }
  assert.match(balancer, /http-check send meth GET uri \/readyz/)
  const servers = balancer.match(/^ +server /gm) ?? []
  assert.equal(servers.length, 3 * processes.length, 'a server that compose.yaml does not start')

  const address = services.balancer?.networks.inside?.ipv4_address
  for (const [, { environment }] of processes) assert.equal(environment.LANDBRIDGE_TRUST_PROXY, address)
  // "80:8080": what is published must be bound, and the other way round.
  const published = services.balancer!.ports!.map((ports) => ports.split(':').at(-1))
  const bound = [...balancer.matchAll(/^ +bind :(\d+)/gm)].map(([, port]) => port)
  assert.deepEqual(published.sort(), bound.sort())
})

test('image and unit set only variables that the service reads, and open its default ports', async () => {
  const known = knownVariables()
  const containerfile = await read('Containerfile')
  const [, assignments = ''] = containerfile.match(/^ENV ((?:.*\\\n)*.*)$/m) ?? []
  const [, unitAssignments = ''] = (await read('landbridge.service')).match(/^Environment=(.*)$/m) ?? []
  for (const [where, text] of [
    ['Containerfile', assignments],
    ['landbridge.service', unitAssignments],
  ] as const) {
    const names = [...text.matchAll(/([A-Z_]+)=/g)].map(([, name]) => name!)
    assert.ok(names.includes('LANDBRIDGE_DATA_DIR'), `${where} sets no data folder: ${text}`)
    for (const name of names) assert.ok(known.has(name) || ['NODE_ENV', 'PATH'].includes(name), `${where}: ${name}`)
  }
  assert.match(assignments, /LANDBRIDGE_HOST=0\.0\.0\.0/, 'loopback is of no use inside a container')
  const { config } = readConfig({})
  const [, exposed = ''] = containerfile.match(/^EXPOSE (.*)$/m) ?? []
  assert.deepEqual(exposed.split(' ').map(Number).sort(), [config.port, config.staticCertPort, config.mqttsPort].sort())
})

test('what npm runs while the image is built is among the files the builder gets', async () => {
  const root = new URL('../../', import.meta.url)
  const kept = (await readFile(new URL('.dockerignore', root), 'utf8')).match(/(?<=^!).*/gm) ?? []
  const { workspaces } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'))
  for (const folder of ['.', ...(workspaces as string[])]) {
    const { scripts = {} } = JSON.parse(await readFile(new URL(`${folder}/package.json`, root), 'utf8'))
    for (const name of ['preinstall', 'install', 'postinstall', 'prepare']) {
      const file = /^node (\S+)/.exec(scripts[name] ?? '')?.[1]
      if (file === undefined) continue
      const path = join(folder, file)
      assert.ok(
        kept.some((each) => path === each || path.startsWith(`${each}/`)),
        `${folder}: ${name} runs ${path}, which .dockerignore leaves out`,
      )
    }
  }
})
