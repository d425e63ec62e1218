// A test file whose set-up starts a service and then fails; set-up.process.test.ts runs it, and looks for what it leaves.
import { createDatabase } from '../support/database.ts'
import { onDatabase, spawnService, startService, temporaryDataDir } from '../support/service.ts'

const [how] = process.argv.slice(2)

switch (how) {
  case 'while it starts':
    console.log(spawnService(onDatabase(await createDatabase())).pid)
    throw new Error('The set-up failed.')
  case 'once it is ready, with its own Postgres':
    console.log((await startService({ env: { LANDBRIDGE_DATA_DIR: await temporaryDataDir() } })).child.pid)
    throw new Error('The set-up failed.')
  case 'because it was killed':
    console.log((await startService({ env: onDatabase(await createDatabase()) })).child.pid)
    process.kill(process.pid, 'SIGKILL')
}
