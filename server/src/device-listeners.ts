import type { Server } from 'node:net'
import { buildPinnedApp } from './build-app.ts'
import type { Context } from './context.ts'
import { createMqttListener } from './devices/mqtt/listener.ts'
import { watchListeners } from './listener-metrics.ts'
import { cannotListen, drain, listen } from './platform/http/listen.ts'
import type { Closing } from './platform/process/closing.ts'
import { staticCertificate } from './platform/tls/static-certificate.ts'
import { readTlsFiles, reloadOnChange } from './platform/tls/tls-files.ts'

/**
 * The two listeners that terminate TLS themselves: MQTT, with the operator's certificate if there is one, and HTTPS
 * with the certificate that never changes. Returns the ports they are bound to, and the servers.
 */
export async function openDeviceListeners(
  context: Context,
  closing: Closing,
): Promise<{ mqttsPort: number; staticCertPort: number; https: Server; mqtt: Server }> {
  const { config, log } = context
  // Added first, so that it closes last: devices send over every listener until their connections are closed.
  closing.add('telemetry', () => context.telemetry.close(), { seconds: 6 })
  const pinned = await staticCertificate(context)

  const app = await buildPinnedApp(context, pinned)
  const staticCertPort = await listen(app, {
    variable: 'LANDBRIDGE_STATIC_CERT_PORT',
    host: config.host,
    port: config.staticCertPort,
  })
  closing.add('requests of pinned devices', () => drain(app, { graceSeconds: 10 }), { seconds: 12 })

  const files =
    config.tlsCertFile && config.tlsKeyFile
      ? { certificateFile: config.tlsCertFile, keyFile: config.tlsKeyFile }
      : undefined
  // Without files MQTT presents the static certificate: the same on every process, so that devices can pin it.
  const material = files ? await readTlsFiles(files) : pinned
  const mqtt = await createMqttListener(context, material)
  const binding = { variable: 'LANDBRIDGE_MQTTS_PORT', host: config.host, port: config.mqttsPort }
  const mqttsPort = await mqtt.listen(binding).catch((error) => {
    throw cannotListen(error, binding)
  })
  const metrics = watchListeners(context.metrics, mqtt.server)
  metrics.presents('static_cert', pinned)
  metrics.presents('mqtt', material)
  context.metrics.gauge('landbridge_mqtt_connections', 'MQTT connections open on this process.', mqtt.count)
  const elsewhere = 'MQTT connections on this process of devices that another hub cell is to serve.'
  context.metrics.gauge('landbridge_mqtt_connections_of_other_cells', elsewhere, mqtt.countOfOtherCells)
  closing.add('MQTT connections', mqtt.close, { seconds: 12 })
  if (files) {
    const stopWatching = reloadOnChange(mqtt.server, files, log, (renewed) => metrics.presents('mqtt', renewed))
    closing.add('certificate files', stopWatching, { seconds: 1 })
  }
  return { mqttsPort, staticCertPort, https: app.server, mqtt: mqtt.server }
}
