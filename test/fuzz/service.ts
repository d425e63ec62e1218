import { fileURLToPath } from 'node:url'
import { freePort } from '../support/free-port.ts'
import { operatorKey, testMasterKey } from '../support/keys.ts'
import { type Service, startService } from '../support/service.ts'

export interface Fuzzed extends Service {
  port: number
  mqttPort: number
}

/** The host that tenants are created at: it is in sessions and redirects. */
const publicUrl = 'http://landbridge.test'

const withoutNames = fileURLToPath(new URL('../support/without-names.ts', import.meta.url))

/** One process with its usual limits. Each request says from which address it comes. */
export async function startFuzzed(env: Record<string, string>): Promise<Fuzzed> {
  const [port, mqttPort] = [await freePort(), await freePort()]
  const service = await startService({
    env: {
      LANDBRIDGE_PUBLIC_URL: publicUrl,
      LANDBRIDGE_TRUST_PROXY: '127.0.0.1',
      LANDBRIDGE_MASTER_KEY: testMasterKey.toString('base64'),
      LANDBRIDGE_OPERATOR_KEY: operatorKey,
      LANDBRIDGE_RATES: 'organization=6000,partner=6000,credential=3000',
      LANDBRIDGE_LOG_LEVEL: 'error',
      NODE_OPTIONS: `--import=${withoutNames}`,
      PORT: String(port),
      LANDBRIDGE_MQTTS_PORT: String(mqttPort),
      ...env,
    },
  })
  return { ...service, port, mqttPort }
}
