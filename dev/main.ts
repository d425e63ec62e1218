// `npm run dev`: the service and the portal on one address. Saving a file of the portal changes the open page; saving one of
// the service restarts it, and the page is loaded again. Postgres keeps running meanwhile, so that a restart is quick.
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServer as createVite, type ViteDevServer } from 'vite'
import { readConfig } from '../server/src/config.ts'
import { createLog } from '../server/src/platform/log.ts'
import { Closing, watchParent } from '../server/src/platform/process/closing.ts'
import { reportFailedStart, StartFailure } from '../server/src/platform/process/start-failure.ts'
import { openStorage, type Storage } from '../server/src/platform/process/storage.ts'
import { passOn } from './proxy.ts'
import { freePort, Service } from './service.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const portal = join(root, 'portal')
/** What the service reads when it starts. */
const restartsOn = ['server/src', 'server/migrations', 'portal/index.html'].map((path) => join(root, path))
/** What Vite serves; every other path is the service's, as in production. */
const vitePaths = /^\/(@|src\/|node_modules\/|__)/

const { config, faults } = readConfig({ LANDBRIDGE_DATA_DIR: join(root, 'data-dev'), ...process.env })
for (const { variable, message } of faults) console.error(`${variable} ${message}`)
if (faults.length > 0) process.exit(2)
const log = createLog('warn')
const closing = new Closing(log)
const pageFolder = join(config.dataDir, 'portal')

async function stop(exitCode: number): Promise<never> {
  await closing.close()
  process.exit(exitCode)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(0))
// npm's shell may end without passing a signal on.
watchParent(() => void stop(0))

try {
  const storage = await openStorage(config, log, { onLost: () => void stop(1) })
  closing.add('Postgres', storage.close, { seconds: 30 })
  const port = config.port || (await freePort())
  const publicUrl = config.publicUrl ?? `http://localhost:${port}`
  await storage.keepAddress(publicUrl)

  const front = createServer()
  const vite = await startVite(front)
  closing.add('Vite', () => vite.close(), { seconds: 5 })
  await writePage(vite)
  const service = await Service.start(environment(storage, publicUrl), () => vite.ws.send({ type: 'full-reload' }))
  closing.add('service', () => service.stop(), { seconds: 10 })
  front.on('request', (request, response) => {
    if (vitePaths.test(request.url ?? '')) vite.middlewares(request, response)
    else void passOn(service, request, response)
  })
  await listen(front, port)
  closing.add('front', () => front.close().closeAllConnections(), { seconds: 2 })
  restartOnSave(vite, service)
  await service.port()
  console.log(`\n${publicUrl} shows what you save. Its data is in ${config.dataDir}. Ctrl-C stops it.\n`)
} catch (error) {
  const isStopping = closing.begun
  if (!isStopping) reportFailedStart(error, log)
  await closing.close()
  if (!isStopping) process.exit(1)
}

async function listen(front: Server, port: number): Promise<void> {
  front.listen(port, config.host)
  await once(front, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new StartFailure(`Port ${port} is in use. Stop the program that uses it, or set PORT.`)
  })
}

async function startVite(server: Server): Promise<ViteDevServer> {
  return await createVite({
    root: portal,
    appType: 'custom',
    server: { middlewareMode: true, hmr: { server } },
  })
}

/** The service as its own process, on the database and the keys of the data folder. */
function environment(storage: Storage, publicUrl: string): NodeJS.ProcessEnv {
  const { databaseUrl, keys } = storage
  return {
    // Spares a restart the stripping of types.
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'landbridge'),
    LANDBRIDGE_LAB: 'true',
    LANDBRIDGE_LOG_LEVEL: 'warn',
    // Receivers of webhooks are on the same machine.
    LANDBRIDGE_WEBHOOK_ALLOW: '127.0.0.0/8,::1',
    ...process.env,
    LANDBRIDGE_HOST: '127.0.0.1',
    LANDBRIDGE_PUBLIC_URL: publicUrl,
    LANDBRIDGE_PORTAL_DIR: pageFolder,
    LANDBRIDGE_DATA_DIR: config.dataDir,
    LANDBRIDGE_DRAIN_SECONDS: '0',
    // It stops when it loses its parent, as under `npm start`.
    npm_lifecycle_event: 'start',
    DATABASE_URL: databaseUrl,
    LANDBRIDGE_MASTER_KEY: keys.master.toString('base64'),
    LANDBRIDGE_OPERATOR_KEY: keys.operator,
  }
}

/**
 * The service sends the page, with its brand, nonce and Content-Security-Policy. That allows no script in the page, so
 * what React needs first is a file here: in development the policy is the one of production.
 */
async function writePage(vite: ViteDevServer): Promise<void> {
  const page = await vite.transformIndexHtml('/', await readFile(join(portal, 'index.html'), 'utf8'))
  const preamble = /<script type="module"[^>]*>import \{ injectIntoGlobalHook \}[^<]*<\/script>/
  if (!preamble.test(page)) throw new Error(`Vite's page has no preamble of React where one was expected:\n${page}`)
  const withFile = page.replace(preamble, '<script type="module" src="/@id/@vitejs/plugin-react/preamble"></script>')
  await mkdir(join(pageFolder, 'assets'), { recursive: true })
  await writeFile(join(pageFolder, 'index.html'), withFile)
}

function restartOnSave(vite: ViteDevServer, service: Service): void {
  vite.watcher.add(restartsOn)
  vite.watcher.on('all', (_event, file) => {
    if (file.endsWith('.test.ts') || !restartsOn.some((path) => file.startsWith(path))) return
    const prepared = file.endsWith('index.html') ? writePage(vite) : Promise.resolve()
    prepared.then(
      () => service.restart(),
      (error) => console.error(error),
    )
  })
}
