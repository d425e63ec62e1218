// The service as `npm start` runs it, with its jobs and its real clock, but in this process: a process of its own
// would load and warm up the same code again for every test file.
import pino from 'pino'
import { readConfig } from '../../server/src/config.ts'
import { Closing } from '../../server/src/platform/process/closing.ts'
import { noSiblings } from '../../server/src/platform/process/siblings.ts'
import { openStorage } from '../../server/src/platform/process/storage.ts'
import { serve } from '../../server/src/serve.ts'
import { whenDone } from './database.ts'
import { anyPort } from './service.ts'

/** Returns its address. It stops when the test file is done. */
export async function serveHere(env: Record<string, string>): Promise<string> {
  const { config, faults } = readConfig({ ...anyPort, ...env })
  if (faults.length > 0) throw new Error(JSON.stringify(faults))
  const log = pino({ level: process.env.LANDBRIDGE_LOG_LEVEL ?? 'silent' })
  const closing = new Closing(log)
  whenDone(() => closing.close())
  const storage = await openStorage(config, log, { onLost() {} })
  const lifecycle = { draining: false, retiring: false }
  const { addresses } = await serve({ config, log, closing, lifecycle, storage, siblings: noSiblings })
  return addresses.publicUrl
}
