import { join } from 'node:path'
import type { Config } from './config.ts'
import type { Addresses } from './context.ts'
import type { Lab } from './lab.ts'

/** What a newcomer sees. The secrets are shown by the start that made them; later ones say where they are kept. */
export function labCard(lab: Lab, addresses: Addresses, { dataDir }: Config, { made }: { made: boolean }): string {
  const file = join(dataDir, 'lab.json')
  const device = JSON.stringify({
    ...{ device_model: lab.model_id, hardware_key: made ? lab.hardware_key : '…' },
    ...{ mac: '02:00:00:00:00:01', sn: 'LAB-0001', firmware_version: '1.0.0' },
  })
  const rows: [string, string][] = [
    ['portal', addresses.publicUrl],
    ['email', lab.email],
    ['password', made ? lab.password : `see ${file}`],
    ['client id', lab.client_id],
    ['client secret', made ? lab.client_secret : `see ${file}`],
    ['redirect URI', lab.redirect_uri],
    ['model id', lab.model_id],
    ['hardware key', made ? lab.hardware_key : `see ${file}`],
  ]
  const commands: [string, string][] = [
    [
      'Register a device',
      `curl -sX POST ${addresses.entryUrl}/v1/devices -H 'Content-Type: application/json' -d '${device}'`,
    ],
    ['Read what an application starts from', `curl -s ${addresses.publicUrl}/.well-known/openid-configuration`],
    [
      'See what happened, as the operator',
      `curl -s ${addresses.publicUrl}/core/v1/operator/audit-events -H "Authorization: ${operatorKey(dataDir)}"`,
    ],
  ]
  return [
    '',
    '  Landbridge is ready. A lab is set up to try everything:',
    '',
    ...rows.map(([name, value]) => `    ${name.padEnd(14)} ${value}`),
    '',
    ...(made
      ? [
          `  Kept in ${file}. Try:`,
          '',
          ...commands.flatMap(([what, command]) => [`    # ${what}`, `    ${command}`, '']),
        ]
      : []),
    `  API reference: ${addresses.publicUrl}/docs`,
    '',
  ].join('\n')
}

function operatorKey(dataDir: string): string {
  return `$(cat '${join(dataDir, 'operator.key')}')`
}
