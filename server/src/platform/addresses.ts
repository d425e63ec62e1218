import type { Config } from '../config.ts'

/** Where this service is reached from outside. Known once the listeners are bound, since a port may be "any free one". */
export interface Addresses {
  publicUrl: string
  entryUrl: string
  hubUrl: string
  mqttUrl: string
  staticCertUrl: string
}

export interface Ports {
  http: number
  mqtts: number
  staticCert: number
}

type AddressSettings = Pick<Config, 'publicUrl' | 'entryUrl' | 'hubUrl' | 'mqttUrl' | 'staticCertUrl'>

/** What was not set follows from the public address: a device that reaches one of them reaches the others' host too. */
export function addressesOf(settings: AddressSettings, ports: Ports): Addresses {
  const publicUrl = settings.publicUrl ?? `http://localhost:${ports.http}`
  const { hostname } = new URL(publicUrl)
  return {
    publicUrl,
    entryUrl: settings.entryUrl ?? publicUrl,
    hubUrl: settings.hubUrl ?? publicUrl,
    mqttUrl: settings.mqttUrl ?? `mqtts://${hostname}:${ports.mqtts}`,
    staticCertUrl: settings.staticCertUrl ?? `https://${hostname}:${ports.staticCert}`,
  }
}
