import { join } from 'node:path'
import type { Config } from './config.ts'
import { kitPath } from './kit.ts'
import type { Lab } from './lab.ts'
import type { Addresses } from './platform/addresses.ts'

interface Output {
  /** Whether this start created the lab. */
  created: boolean
  /** Anything but a terminal may be a log that is stored and that many can read. */
  terminal: boolean
}

/** What the first start prints. Secrets are printed once, to a terminal; otherwise the text says where they are stored. */
export function labCard(lab: Lab, addresses: Addresses, { dataDir }: Config, { created, terminal }: Output): string {
  const file = join(dataDir, 'lab.json')
  const secret = (value: string) => (created && terminal ? value : `see ${file}`)
  const identity = { mac: '02:00:00:00:00:01', sn: 'LAB-0001', firmware_version: '1.0.0' }
  const device = JSON.stringify({ device_model: lab.model_id, hardware_key: '<key>', ...identity })
  const rows: [string, string][] = [
    ['portal', addresses.publicUrl],
    ['email', lab.email],
    ['password', secret(lab.password)],
    ['client id', lab.client_id],
    ['client secret', secret(lab.client_secret)],
    ['redirect URI', lab.redirect_uri],
    ['model id', lab.model_id],
    ['hardware key', secret(lab.hardware_key)],
  ]
  const commands: [string, string][] = [
    [
      'Register a device, and keep its id and key',
      `device=$(curl -sX POST ${addresses.entryUrl}/v1/devices -H 'Content-Type: application/json' ` +
        `-d '${device.replace('<key>', terminal ? lab.hardware_key : hardwareKey(file))}'); echo "$device"`,
    ],
    [
      'Send telemetry as that device',
      `curl -sX POST "${addresses.hubUrl}/v1/devices/${fieldOf('id')}/telemetry" -H "Authorization: ${fieldOf('access_key')}" ` +
        `-H 'Content-Type: application/json' -d '{"status":"online","telemetries":{"temperature":21.5}}'`,
    ],
    ['Read the discovery document', `curl -s ${addresses.publicUrl}/.well-known/openid-configuration`],
    [
      'List audit events, as the operator',
      `curl -s ${addresses.publicUrl}/core/v1/operator/audit-events -H "Authorization: ${operatorKey(dataDir)}"`,
    ],
  ]
  return [
    '',
    '  Landbridge is ready. A lab is set up so that you can try everything:',
    '',
    ...rows.map(([name, value]) => `    ${name.padEnd(14)} ${value}`),
    '',
    ...(created
      ? [
          `  Stored in ${file}. Try:`,
          '',
          ...commands.flatMap(([what, command]) => [`    # ${what}`, `    ${command}`, '']),
        ]
      : []),
    `  API reference: ${addresses.publicUrl}/docs`,
    `  Partner kit:   npm install ${addresses.publicUrl}${kitPath}`,
    '  More to try:   npm run example:app, npx landbridge simulate --devices 50',
    '',
  ].join('\n')
}

/** Of the response that the command before kept in `$device`. */
function fieldOf(name: string): string {
  return `$(echo "$device" | sed -n 's/.*"${name}":"\\([^"]*\\)".*/\\1/p')`
}

function operatorKey(dataDir: string): string {
  return `$(cat '${join(dataDir, 'operator.key')}')`
}

/** For use within single quotes in a shell: the command reads the key from the file. */
function hardwareKey(file: string): string {
  return `'"$(sed -n 's/.*"hardware_key": "\\(.*\\)".*/\\1/p' '${file}')"'`
}
