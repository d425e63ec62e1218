import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { connect } from '../../test/support/applications.ts'
import { consentScene } from '../../test/support/consent-scene.ts'
import { online, post, register, registration, send, startScene } from '../../test/support/devices.ts'
import { backgroundJobs } from './background-jobs.ts'
import { judgeDrop } from './devices/telemetry/partitions.ts'
import { runJob } from './platform/jobs.ts'

describe('decision 3.7: what is deleted by age', () => {
  it('stays, when the process that deletes is 40 days ahead of the database', async () => {
    const { service, sql, clock, context, model } = await startScene()
    const [{ now }] = (await sql`select now()`) as unknown as [{ now: Date }]
    clock.forward((now.getTime() - clock.now().getTime()) / 1000)
    // A session, a request, a code, tokens, a device's history and failures: all of them valid at this moment.
    const { application } = await consentScene(service).reachConsent()
    await connect(service, application)
    const device = await register(service, model)
    for (const job of backgroundJobs(context)) await runJob(sql, job)
    await send(service, device, online({ n: 1 }))
    await post(service, '/v1/devices', registration({ ...model, hardware_key: 'wrong' }))
    await context.integrationLog.flush()

    const names = await sql<{ name: string }[]>`
      select table_name as name from information_schema.tables
      where table_schema = 'public' and table_name not in ('status_changes', 'history_retention') order by 1`
    const counts = async () => {
      const rows = await Promise.all(names.map(({ name }) => sql`select count(*)::int as count from ${sql(name)}`))
      return Object.fromEntries(rows.map(([row], index) => [names[index]!.name, row!.count as number]))
    }
    const before = await counts()
    for (const table of [
      'sessions',
      'authorization_requests',
      'authorization_codes',
      'access_tokens',
      'refresh_tokens',
    ]) {
      assert.ok(before[table]! > 0, table)
    }
    assert.ok(before.history! > 0 && before.integration_failures! > 0)
    clock.forward(40 * 86_400)
    for (let turns = 0; turns < 2; turns += 1) {
      for (const job of backgroundJobs(context)) await runJob(sql, job)
      clock.forward(7_200)
    }
    const after = await counts()
    const lost = Object.keys(before).filter((table) => (after[table] ?? 0) < before[table]!)
    // A deadline is watched until its device is offline, which is no loss.
    assert.deepEqual(
      lost.filter((table) => table !== 'offline_deadlines'),
      [],
    )
  })

  it('is compared with Postgres’s own clock by every statement: none trusts the clock of the process', async () => {
    const folder = fileURLToPath(new URL('.', import.meta.url))
    const faulty: string[] = []
    for await (const file of glob('**/*.ts', { cwd: folder })) {
      if (file.includes('test')) continue
      const text = await readFile(`${folder}${file}`, 'utf8')
      for (const [statement] of text.matchAll(/delete from [^`]*`/g)) {
        if (/(_at|timestamp|until)\)? *(<|<=) *\$\{(?!agedBefore)/.test(statement)) faulty.push(`${file}: ${statement}`)
      }
    }
    // Messages that move into their day's partition or whose day `findOldestKeptDay` has judged, and two lists of work.
    const allowed = /history_default|offline_deadlines|factor_resets/
    assert.deepEqual(
      faulty.filter((line) => !allowed.test(line)),
      [],
    )
  })

  it('is bounded whatever plan Postgres chooses: no statement reads its list of rows by "in (select … limit …)"', async () => {
    // In a nested loop such a list is read again for every row, and each reading finds rows that the last one did not.
    const folder = fileURLToPath(new URL('.', import.meta.url))
    const faulty: string[] = []
    for await (const file of glob('**/*.ts', { cwd: folder })) {
      if (file.includes('test')) continue
      const text = await readFile(`${folder}${file}`, 'utf8')
      for (const [statement] of text.matchAll(/\b(delete|update) [^`]*`/g)) {
        if (/\bin \(\s*select\b[^)]*(\([^)]*\)[^)]*)*\blimit\b/.test(statement)) faulty.push(`${file}: ${statement}`)
      }
    }
    assert.deepEqual(faulty, [])
  })

  it('history: more days than were ever dropped at once are announced an hour ahead', () => {
    const now = new Date('2026-03-01T12:00:00Z')
    const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000)
    const table = [
      [{ most_dropped: 1, announced_days: null, announced_at: null }, 0, 'drop'],
      [{ most_dropped: 1, announced_days: null, announced_at: null }, 1, 'drop'],
      [{ most_dropped: 1, announced_days: null, announced_at: null }, 2, 'announce'],
      [{ most_dropped: 3, announced_days: null, announced_at: null }, 3, 'drop'],
      [{ most_dropped: 1, announced_days: 2, announced_at: ago(59) }, 2, 'wait'],
      [{ most_dropped: 1, announced_days: 2, announced_at: ago(60) }, 2, 'drop'],
      [{ most_dropped: 1, announced_days: 2, announced_at: ago(60) }, 3, 'announce'],
    ] as const
    for (const [retention, days, verdict] of table) assert.equal(judgeDrop(retention, days, now), verdict)
  })
})
