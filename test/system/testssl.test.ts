// Both listeners that terminate TLS themselves, as Debian's testssl.sh judges them: protocols, ciphers and certificate in CI.
// `LANDBRIDGE_TESTSSL=full npm test -- test/system/testssl.test.ts` has all of its checks, which take minutes.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { createDatabase } from '../support/database.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { onDatabase, startService } from '../support/service.ts'

interface Finding {
  id: string
  severity: 'OK' | 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL' | 'WARN' | 'DEBUG' | 'FATAL'
  finding: string
}

/** What is found of the static certificate, which devices pin, and why it is so. An operator's own has none of it. */
const ofTheStaticCertificate: Record<string, string> = {
  cert_chain_of_trust: 'it is its own root: a device trusts it and nothing else',
  cert_validityPeriod: 'it never expires: firmware that cannot be updated goes on',
  cert_revocation: 'a device that pins a certificate asks nobody whether it is still valid',
}

const folder = await mkdtemp(join(tmpdir(), 'landbridge-testssl-'))
after(() => removeFolder(folder))
const service = await startService({ env: onDatabase(await createDatabase()) })
after(() => service.stop())
const { mqtt_url, static_cert_url } = service.ready

describe('testssl.sh finds nothing above low', { concurrency: true }, () => {
  for (const [name, url] of Object.entries({ MQTTS: mqtt_url, HTTPS: static_cert_url })) {
    it(name, async () => {
      const findings = await examine(name, new URL(url))
      // WARN and DEBUG are what it could not look at, such as HTTP headers of MQTT.
      const above = findings.filter(({ severity }) => ['MEDIUM', 'HIGH', 'CRITICAL', 'FATAL'].includes(severity))
      const unexpected = above.filter(({ id }) => !(id in ofTheStaticCertificate))
      assert.deepEqual(unexpected, [])
      assert.deepEqual(above.map(({ id }) => id).toSorted(), Object.keys(ofTheStaticCertificate).toSorted())
      for (const version of ['TLS1_2', 'TLS1_3']) {
        assert.equal(findings.find(({ id }) => id === version)?.severity, 'OK', version)
      }
    })
  }
})

async function examine(name: string, { port }: URL): Promise<Finding[]> {
  const file = join(folder, `${name}.json`)
  const checks = process.env.LANDBRIDGE_TESTSSL === 'full' ? [] : ['--protocols', '--std', '--server-defaults']
  // No name server needs to know the test's name for this machine.
  const options = ['--quiet', '--color', '0', '--warnings', 'off', '--nodns', 'none', '--ip', '127.0.0.1']
  await new Promise<void>((resolve) => {
    // It exits with the number of what it found; what that is, the file says.
    execFile('testssl', [...options, ...checks, '--jsonfile', file, `localhost:${port}`], { maxBuffer: 2 ** 26 }, () =>
      resolve(),
    )
  })
  return JSON.parse(await readFile(file, 'utf8'))
}
