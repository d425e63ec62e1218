// `npm run bench:authorization [-- --quick] [refresh | waiting | size | revoke | mails]`: ratios, measured side by side on this
// machine in one run, in turns; exits 1 when a bar is missed.
import { seedGrants } from '../test/support/seeded-grants.ts'
import { type Landbridge, startLandbridge } from './authorization/landbridge.ts'
import { load } from './authorization/load-processes.ts'
import { distantMailServer, expectQueued, queueMails } from './authorization/mails.ts'
import { clients, connections, type Length, refreshes, refreshing } from './authorization/refreshes.ts'
import type { RefreshWork } from './authorization/token-load.ts'
import { addTokenRows } from './authorization/token-rows.ts'
import { inTurns, median, spreadOf, toMilliseconds } from './environment.ts'
import { type Row, runAlone } from './table.ts'

const fewRows = 5_000

export async function measure(quick: boolean): Promise<Row[]> {
  const parts = ['refresh', 'waiting', 'size', 'revoke', 'mails']
  const chosen = parts.filter((part) => process.argv.slice(2).includes(part))
  const wanted = (part: string) => chosen.length === 0 || chosen.includes(part)
  const manyRows = Number(process.env.BENCH_ROWS ?? (quick ? 100_000 : 5_000_000))
  const length = quick ? { rounds: 3, seconds: 0.5, warmupSeconds: 0.25 } : { rounds: 5, seconds: 3, warmupSeconds: 1 }
  const shorter = quick ? { ...length, rounds: 2 } : length
  const rows: Row[] = []
  const needsTwo = wanted('size') || wanted('revoke')
  const [first, second] = await Promise.all([startLandbridge(), needsTwo ? startLandbridge() : null])
  if (wanted('refresh')) rows.push(...(await refreshes(first, length)))
  if (wanted('waiting')) rows.push(...(await withoutSignature(first, shorter)))
  if (second && wanted('size')) rows.push(...(await bySize(first, second, length, manyRows)))
  if (second && wanted('revoke')) rows.push(await byTokens(second, quick ? 5_000 : 100_000))
  if (wanted('mails')) rows.push(await besideMails(first, length, quick ? 20_000 : 100_000))
  await Promise.all([first.stop(), second?.stop()])
  return rows
}

/** Callers who need no signature, alone and beside many who wait for one. */
async function withoutSignature(ours: Landbridge, { rounds, seconds, warmupSeconds }: Length): Promise<Row[]> {
  console.log('\nRefresh without id_token, beside callers who wait for RS256')
  const callers = 8
  const quiet: RefreshWork = { kind: 'refresh', path: '/oauth/token', chains: [], scope: 'profile' }
  quiet.chains = (await seedGrants(ours.sql, 1_024, 'RS256')).chains
  const signing: RefreshWork = { kind: 'refresh', path: '/oauth/token', chains: [] }
  signing.chains = (await seedGrants(ours.sql, clients, 'RS256')).chains
  const quietTurn = async () => {
    const report = await load({
      port: ours.port,
      connections: callers,
      warmupSeconds: warmupSeconds + 0.5,
      seconds,
      work: quiet,
    })
    quiet.chains = report.chains
    return report
  }
  // Longer than the quiet callers' turn, from its beginning to after its end.
  const signingTurn = async () => {
    const work = signing
    const report = await load({ port: ours.port, connections, warmupSeconds, seconds: seconds + 1, work })
    signing.chains = report.chains
    return report
  }
  const [alone, beside, theirMedian]: number[][] = [[], [], []]
  for (let round = 0; round < rounds; round += 1) {
    const first = await quietTurn()
    const [second, signed] = await Promise.all([quietTurn(), signingTurn()])
    console.log(
      `  alone p99 ${toMilliseconds(first.p99)}, beside ${connections} RS256 callers ${toMilliseconds(second.p99)}; ` +
        `theirs ${Math.round(signed.requestsPerSecond)}/s, median ${toMilliseconds(signed.p50)}`,
    )
    alone!.push(first.p99)
    beside!.push(second.p99)
    theirMedian!.push(signed.p50)
  }
  const row = (peer: string, peers: number[], bar: number | null): Row => {
    const ratios = beside!.map((p99, round) => p99 / peers[round]!)
    return {
      what: `p99 of a refresh without id_token, beside ${connections} callers who wait for RS256`,
      ours: toMilliseconds(median(beside!)),
      peer: `${peer}: ${toMilliseconds(median(peers))}`,
      ratio: median(ratios),
      bar,
      spread: spreadOf(ratios),
      better: 'lower',
      p99: `${toMilliseconds(median(beside!))}, –`,
    }
  }
  return [row('their median', theirMedian!, 0.25), row('p99 alone', alone!, null)]
}

async function bySize(few: Landbridge, many: Landbridge, length: Length, manyRows: number): Promise<Row[]> {
  const { rounds, seconds, warmupSeconds } = length
  console.log(`\nWith ${manyRows.toLocaleString('en')} token rows as with ${fewRows.toLocaleString('en')}`)
  const seed = async ({ sql }: Landbridge, rows: number) => {
    const seeded = await seedGrants(sql, clients, 'ES256')
    await addTokenRows(sql, rows, seeded.grantIds)
    return seeded
  }
  const [small, large] = await Promise.all([seed(few, fewRows), seed(many, manyRows)])
  const bearing = (port: number, tokens: string[]) => async () => {
    const work = { kind: 'bearer' as const, path: '/oauth/userinfo', tokens }
    const { requestsPerSecond: rate, p99 } = await load({ port, connections, warmupSeconds, seconds, work })
    return { rate, p99 }
  }
  const refreshTurns = await inTurns(rounds, {
    'many rows': refreshing(many, large.chains, length),
    'few rows': refreshing(few, small.chains, length),
  })
  // They take little time, and a round too few has missed the bar: the ratio is about 0.9.
  const bearerTurns = await inTurns(rounds + 2, {
    'many rows': bearing(many.port, large.accessTokens),
    'few rows': bearing(few.port, small.accessTokens),
  })
  return [
    refreshTurns.row(`refresh, ${manyRows.toLocaleString('en')} token rows`, 'many rows', 'few rows', 0.8),
    bearerTurns.row(`bearer check, ${manyRows.toLocaleString('en')} token rows`, 'many rows', 'few rows', 0.8),
  ]
}

/** While they are sent, as fast as the service sends them to a server far away. */
async function besideMails(without: Landbridge, length: Length, mails: number): Promise<Row> {
  const title = `refresh, ${mails.toLocaleString('en')} queued mails`
  console.log(`\n${title}, and none`)
  const server = await distantMailServer()
  const beside = await startLandbridge(undefined, server.settings)
  await queueMails(beside.sql, mails)
  const seed = async ({ sql }: Landbridge) => (await seedGrants(sql, clients, 'ES256')).chains
  const [many, none] = [
    refreshing(beside, await seed(beside), length),
    refreshing(without, await seed(without), length),
  ]
  // The mails of one side would cost the other the same share of this machine.
  const turns = await inTurns(length.rounds, {
    'queued mails': () => whileStopped(without, many),
    'no mails': () => whileStopped(beside, none),
  })
  await expectQueued(beside.sql, mails)
  await beside.stop()
  server.close()
  return turns.row(title, 'queued mails', 'no mails', 0.95)
}

async function whileStopped<T>({ pid }: Landbridge, measure: () => Promise<T>): Promise<T> {
  process.kill(pid, 'SIGSTOP')
  try {
    return await measure()
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

async function byTokens(ours: Landbridge, tokens: number): Promise<Row> {
  const title = `revoking a grant of ${tokens.toLocaleString('en')} tokens`
  console.log(`\n${title}, and one with a single token`)
  const times = { one: [] as number[], many: [] as number[] }
  const seeded = await seedGrants(ours.sql, 18, 'ES256')
  const withManyTokens = seeded.grantIds.slice(0, 9)
  // In turns again, so that both have the same conditions.
  await addTokenRows(ours.sql, withManyTokens.length * tokens, withManyTokens)
  for (let n = 0; n < withManyTokens.length; n += 1) {
    for (const [kind, index] of [['many', n] as const, ['one', n + withManyTokens.length] as const]) {
      const { client_id, client_secret } = seeded.chains[index]!
      const began = performance.now()
      const response = await fetch(`http://127.0.0.1:${ours.port}/oauth/revoke`, {
        method: 'POST',
        headers: { 'x-forwarded-for': `172.16.${n}.${index}` },
        body: new URLSearchParams({ client_id, client_secret, token: seeded.accessTokens[index]! }),
      })
      await response.text()
      if (response.status !== 200) throw new Error(`revoke returned ${response.status}`)
      times[kind].push(performance.now() - began)
    }
  }
  const [revoked] = await ours.sql<{ count: number }[]>`
    select count(*)::int as count from grants where revoked_at is not null and id = any(${seeded.grantIds})`
  if (revoked!.count !== seeded.grantIds.length)
    throw new Error(`${revoked!.count} of ${seeded.grantIds.length} grants revoked`)
  const [many, one] = [median(times.many), median(times.one)]
  return {
    what: title,
    ours: toMilliseconds(many),
    peer: `a single token: ${toMilliseconds(one)}`,
    ratio: many / one,
    bar: 2,
    spread: spreadOf(times.many.map((time, n) => time / times.one[n]!)),
    better: 'lower',
  }
}

if (import.meta.main) await runAlone(measure)
