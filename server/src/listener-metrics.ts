import { X509Certificate } from 'node:crypto'
import type { Server } from 'node:tls'
import { Gauge } from 'prom-client'
import { Counter } from './platform/measurements.ts'
import type { Metrics } from './platform/metrics.ts'
import type { TlsMaterial } from './platform/tls/self-signed-certificate.ts'

type Listener = 'mqtt' | 'static_cert'

/** What tells an operator that devices cannot come in, before their owners call. */
export function watchListeners({ registry, gauge }: Metrics, mqtt: Server) {
  const certificate = 'landbridge_certificate_expiry_timestamp_seconds'
  const handshakes = 'landbridge_mqtt_handshakes_total'
  for (const name of [certificate, handshakes]) registry.removeSingleMetric(name)
  const expiry = new Gauge({
    name: certificate,
    help: 'When the certificate that a listener presents expires, as Unix time.',
    labelNames: ['listener'],
    registers: [registry],
    // Of several processes, the one that presents the oldest is the problem.
    aggregator: 'min',
  })

  gauge('landbridge_mqtt_listening', 'Processes of this server that accept MQTT connections.', () =>
    mqtt.listening ? 1 : 0,
  )
  const help =
    'TLS handshakes of the MQTT listener, by outcome; devices that do not trust its certificate make them fail.'
  const outcomes = new Counter<'succeeded' | 'failed'>(registry, handshakes, help, ['outcome'])
  for (const outcome of ['succeeded', 'failed'] as const) outcomes.start(outcome)
  mqtt.on('secureConnection', () => outcomes.increment('succeeded'))
  mqtt.on('tlsClientError', () => outcomes.increment('failed'))

  return {
    presents(listener: Listener, { certificate }: TlsMaterial): void {
      expiry.set({ listener }, new X509Certificate(certificate).validToDate.getTime() / 1000)
    },
  }
}
