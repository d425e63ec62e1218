import assert from 'node:assert/strict'
import { it } from 'node:test'
import { pureFiles } from './files.ts'

it('the files that are changed have a test beside them without a database, and do no I/O', () => {
  const files = pureFiles([
    'server/src/authorization/token/refresh-judgement.test.ts',
    'server/src/platform/database/pool.test.ts',
    'server/src/platform/tls/tls-files.test.ts',
    'server/src/devices/mqtt/packets/random-packets.test.ts',
    'server/src/devices/mqtt/packets/packet-reader.test.ts',
    'test/portal/csv.test.ts',
  ])
  const tested = (name: string) => files.get(`server/src/${name}`)
  assert.deepEqual(tested('authorization/token/refresh-judgement.ts'), [
    'server/src/authorization/token/refresh-judgement.test.ts',
  ])
  assert.equal(tested('platform/database/pool.ts'), undefined, 'its test has a database')
  assert.equal(tested('platform/tls/tls-files.ts'), undefined, 'it reads files')
  assert.equal(tested('platform/own-limits.ts'), undefined, 'a test elsewhere only uses it')
  assert.deepEqual(tested('devices/mqtt/packets/packet-reader.ts'), [
    'server/src/devices/mqtt/packets/packet-reader.test.ts',
  ])
  assert.deepEqual(tested('devices/mqtt/packets/publish-packet.ts'), [
    'server/src/devices/mqtt/packets/random-packets.test.ts',
  ])
  assert.deepEqual(files.get('portal/src/components/table/csv.ts'), ['test/portal/csv.test.ts'])
})
