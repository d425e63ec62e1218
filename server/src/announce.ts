import type { Config } from './config.ts'
import type { Addresses } from './platform/addresses.ts'

/** One line of JSON whatever the log level: programs that start us wait for it. */
export function announce({ publicUrl, entryUrl, hubUrl, mqttUrl, staticCertUrl }: Addresses): void {
  const urls = { public_url: publicUrl, entry_url: entryUrl, hub_url: hubUrl, mqtt_url: mqttUrl }
  console.log(JSON.stringify({ level: 30, msg: 'ready', ...urls, static_cert_url: staticCertUrl, pid: process.pid }))
}

/** Where the command line on this machine finds the service. */
export function localAddress({ host }: Config, port: number): string {
  const isWildcard = host === '0.0.0.0' || host === '::'
  return `http://${isWildcard ? 'localhost' : host}:${port}`
}
