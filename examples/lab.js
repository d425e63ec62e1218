// Where the examples get their credentials: from the environment, as your program would, or from the lab of a service that
// runs on this machine.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from 'node:tls'

const { env } = process
const dataDir = env.LANDBRIDGE_DATA_DIR || 'data'

/** LANDBRIDGE_URL, CLIENT_ID, CLIENT_SECRET and REDIRECT_URI, or those of the lab. */
export async function applicationSettings() {
  const url = await runningService()
  if (env.CLIENT_ID && env.CLIENT_SECRET && env.REDIRECT_URI) {
    return { url, clientId: env.CLIENT_ID, clientSecret: env.CLIENT_SECRET, redirectUri: env.REDIRECT_URI }
  }
  const { client_id, client_secret, redirect_uri } = await readLab()
  return { url, clientId: client_id, clientSecret: client_secret, redirectUri: redirect_uri }
}

/** LANDBRIDGE_URL, MODEL_ID and HARDWARE_KEY, or those of the lab. */
export async function modelSettings() {
  const entryUrl = await runningService()
  if (env.MODEL_ID && env.HARDWARE_KEY) return { entryUrl, modelId: env.MODEL_ID, hardwareKey: env.HARDWARE_KEY }
  const { model_id, hardware_key } = await readLab()
  return { entryUrl, modelId: model_id, hardwareKey: hardware_key }
}

/** The lab's certificate is its own. On this machine the one that it presents is trusted; elsewhere the machine's authorities. */
export async function labCertificate(mqttUrl) {
  const { hostname: host, port } = new URL(mqttUrl)
  if (!['localhost', '127.0.0.1'].includes(host)) return undefined
  return await new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false }, () => {
      const der = socket
        .getPeerCertificate()
        .raw.toString('base64')
        .match(/.{1,64}/g)
      socket.destroy()
      resolve(['-----BEGIN CERTIFICATE-----', ...der, '-----END CERTIFICATE-----', ''].join('\n'))
    })
    socket.once('error', reject)
  })
}

async function runningService() {
  const stored = await readFile(join(dataDir, 'address'), 'utf8').catch(() => null)
  const url = (env.LANDBRIDGE_URL || stored?.trim() || 'http://localhost:8080').replace(/\/+$/, '')
  const isReady = await fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
  if (!isReady)
    stop(`There is no Landbridge at ${url}. Start it with:\n\n  npm start\n\nor set LANDBRIDGE_URL to where it is.`)
  if (env.LANDBRIDGE_URL) return url
  // The file names where it listens (127.0.0.1); what callbacks and tokens name is its issuer (localhost).
  const discovery = await fetch(`${url}/.well-known/openid-configuration`)
  const { issuer } = await discovery.json()
  return issuer
}

async function readLab() {
  const file = join(dataDir, 'lab.json')
  const text = await readFile(file, 'utf8').catch(() => null)
  if (text === null)
    stop(`There is no lab in ${file}. Set the credentials in the environment: see the README of the examples.`)
  return JSON.parse(text)
}

function stop(why) {
  console.error(why)
  process.exit(1)
}
