// What the V8 flag of `npm start` saves (decision 4.10): CPU time of the service per request, which other programs on
// the machine disturb less than a rate, in alternating turns with and without it. Reads /proc, so Linux only.
import { readFileSync } from 'node:fs'
import { cleanUpAll } from './clean-up.ts'
import { median, openLoad, startBenchPostgres, startFlags, startService } from './environment.ts'
import { createTenant } from './organization/crowd.ts'

const rounds = 12
const seconds = 2

/** User and system time in microseconds; the kernel counts in hundredths of a second. */
function cpuMicroseconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

const postgres = await startBenchPostgres()
try {
  const url = await postgres.createDatabase()
  const { access_tokens } = await createTenant(url, { users: 20, applications: 300 })
  const requests = access_tokens.map(
    (token) => `GET /core/v1/organization/users HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${token}\r\n\r\n`,
  )
  for (const connections of [512, 64]) {
    const sides = []
    for (const flags of [[], startFlags]) {
      const service = await startService(url, flags)
      const load = openLoad({ port: Number(new URL(service.url).port), connections, requests })
      await load.run({ warmUpSeconds: 2, seconds: 6 })
      sides.push({ name: flags.join(' ') || 'without', service, load, figures: [] as number[] })
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const { service, load, figures } of sides) {
        const before = cpuMicroseconds(service.child.pid!)
        const { completed } = await load.run({ warmUpSeconds: 0, seconds })
        figures.push((cpuMicroseconds(service.child.pid!) - before) / completed)
      }
    }
    for (const { name, service, load, figures } of sides) {
      console.log(`${connections} connections, ${name}: ${median(figures).toFixed(1)} µs of CPU per request`)
      await load.close()
      await service.stop()
    }
  }
} finally {
  await cleanUpAll()
}
