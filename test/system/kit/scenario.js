// What a partner's cloud does with the kit, in plain JavaScript for every runtime: throws at the first fault.
import {
  Application,
  connectHandlers,
  DeviceModel,
  memoryTokenStore,
  readWebhook,
  TelemetryOutbox,
} from '@landbridge/client'

export async function scenario({ url, modelId, hardwareKey, secret, delivery, mac }) {
  const model = new DeviceModel({ entryUrl: `${url}/`, modelId, hardwareKey })
  const device = await model.register({ mac, sn: mac, firmware_version: '1.0.0' })
  const reading = (n) => ({ status: 'online', telemetries: { n } })
  await model.send(device, reading(1))
  const results = await model.sendMany([2, 3].map((n) => ({ device, telemetry: reading(n) })))
  if (results.some(({ status }) => status !== 200)) throw new Error(JSON.stringify(results))
  const outbox = new TelemetryOutbox(model)
  for (let n = 4; n <= 10; n += 1) await outbox.add(device, reading(n))
  await outbox.flushed()
  await outbox.stop()
  const event = await readWebhook(secret, delivery.headers, delivery.body)
  if (event.type !== 'device.claimed') throw new Error(event.type)
  const application = new Application({
    url,
    clientId: 'c',
    clientSecret: 's',
    redirectUri: 'https://app.example.com/callback',
    store: memoryTokenStore(),
  })
  const { connect } = connectHandlers({ application, cookieSecret: 'x'.repeat(32), onConnected: () => '/' })
  const away = await connect(new Request('https://app.example.com/connect'))
  if (away.status !== 303 || !away.headers.get('location').includes('code_challenge=')) throw new Error('connect')
  const back = `https://app.example.com/callback?error=access_denied`
  const discarded = await application.finish(back, undefined).catch((error) => error)
  if (discarded.code !== 'state_mismatch') throw discarded
  return device.id
}
