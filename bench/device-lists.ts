// Device lists: `npm run bench:device-lists [-- --quick]`. The same pages at 1,000,000 devices (50,000 with `--quick`)
// and at 12,000, with search, filters and orders, for the customer and for the partner; and for whoever reaches one space
// of a hundred devices, or one of nearly all.
import { randomBytes } from 'node:crypto'
import { openDatabase } from '../server/src/platform/database/database.ts'
import { migrate } from '../server/src/platform/database/migrate.ts'
import { newId } from '../server/src/platform/secrets/identifiers.ts'
import { digest, hint, mintSecret } from '../server/src/platform/secrets/secrets.ts'
import { type BenchPostgres, type RunningService, startBenchPostgres, startService } from './environment.ts'
import { bySize, type Page } from './page-times.ts'
import { type Row, runAlone } from './table.ts'

interface Fleet {
  service: RunningService
  organizationKey: string
  /** Of a customer with a few devices among those of the other. */
  smallKey: string
  partnerKey: string
  modelId: string
  spaceId: string
  /** Of keys that reach one space only: of a hundred devices, and of nine in ten. */
  closetKey: string
  siteKey: string
}

export async function measure(quick: boolean): Promise<Row[]> {
  // Nine in ten are the organization's, and a list counts up to 10,000: both have more.
  const [few, many] = [12_000, quick ? 50_000 : 1_000_000]
  const postgres = await startBenchPostgres()
  const [small, large] = await Promise.all([createFleet(postgres, few), createFleet(postgres, many)])
  const compared = pages().map(([name, pageOf]) => ({ name, small: pageOf(small), large: pageOf(large) }))
  const row = await bySize('devices', [few, many], compared, quick)
  const reached = pagesWithin().map(([name, pageOf]) => ({ name, small: pageOf(small), large: pageOf(large) }))
  const within = await bySize('devices, to who reaches one space', [few, many], reached, quick)
  for (const { service } of [small, large]) await service.stop()
  await postgres.stop()
  return [row, within]
}

function pages(): [string, (fleet: Fleet) => Page][] {
  const both = (query: (fleet: Fleet) => string) =>
    (['organization', 'partner'] as const).map(
      (api) =>
        (fleet: Fleet): Page => ({
          url: `${fleet.service.url}/core/v1/${api}/devices?limit=50${query(fleet)}`,
          headers: { authorization: api === 'partner' ? fleet.partnerKey : fleet.organizationKey },
        }),
    )
  const kinds: [string, (fleet: Fleet) => string][] = [
    ['first page', () => ''],
    ['status=online', () => '&status=online'],
    ['status=error, one in ten', () => '&status=error'],
    ['model_id and status=offline', ({ modelId }) => `&model_id=${modelId}&status=offline`],
    ['sort=status', () => '&sort=status'],
    ['sort=model', () => '&sort=model'],
    ['sort=-mac', () => '&sort=-mac'],
    ['search by MAC', () => '&search=00:00:00:00'],
    ['search for a part of every serial number', () => '&search=n-0000'],
    ['search for one serial number', () => '&search=00001234'],
    ['search and status=offline', () => '&search=n-00&status=offline'],
  ]
  return [
    ...kinds.flatMap(([name, query]) => {
      const [organization, partner] = both(query)
      return [
        [`organization: ${name}`, organization!],
        [`partner: ${name}`, partner!],
      ] as [string, (fleet: Fleet) => Page][]
    }),
    ['organization: space_id and status=online', both(({ spaceId }) => `&space_id=${spaceId}&status=online`)[0]!],
    ['organization: no_space and status=online', both(() => '&no_space=true&status=online')[0]!],
    ['organization: sort=name', both(() => '&sort=name')[0]!],
    ['organization: sort=-space', both(() => '&sort=-space')[0]!],
    ['organization: status=error and sort=name', both(() => '&status=error&sort=name')[0]!],
    ['organization: search for a word that many names have', both(() => '&search=sensor')[0]!],
    ['organization: search for one name', both(() => '&search=sensor 000001235')[0]!],
    ['organization: search for a word and two digits', both(() => '&search=valve 77')[0]!],
    ['organization: search for a word and four digits', both(() => '&search=valve 7776')[0]!],
    ['organization: tag of every device', both(() => '&tag=all')[0]!],
    ['organization: tag of one device in a thousand', both(() => '&tag=some')[0]!],
    ['organization of nine devices: search', (fleet) => ofSmall(fleet, '&search=sensor')],
    ['partner: claimed=false', both(() => '&claimed=false')[1]!],
  ]
}

function pagesWithin(): [string, (fleet: Fleet) => Page][] {
  const keys: [name: string, serialNumber: string, keyOf: (fleet: Fleet) => string][] = [
    ['of 100 devices', '000001002', ({ closetKey }) => closetKey],
    ['of nine in ten', '000001234', ({ siteKey }) => siteKey],
  ]
  const queries = ['', '&status=online', '&sort=name', '&sort=status', '&search=valve', '&tag=all']
  return keys.flatMap(([name, serialNumber, keyOf]) =>
    [...queries, `&search=${serialNumber}`].map((query): [string, (fleet: Fleet) => Page] => [
      `a space ${name}${query.replace('&', ': ')}`,
      (fleet) => ({
        url: `${fleet.service.url}/core/v1/organization/devices?limit=50${query}`,
        headers: { authorization: keyOf(fleet) },
      }),
    ]),
  )
}

function ofSmall({ service, smallKey }: Fleet, query: string): Page {
  return { url: `${service.url}/core/v1/organization/devices?limit=50${query}`, headers: { authorization: smallKey } }
}

async function createFleet(postgres: BenchPostgres, devices: number): Promise<Fleet> {
  const databaseUrl = await postgres.createDatabase()
  const sql = openDatabase({ url: databaseUrl, max: 2, statementSeconds: 3_600 })
  await migrate(sql)
  const [partnerId, customerId, smallId, modelId, spaceId] = [newId(), newId(), newId(), newId(), newId()]
  const [siteId, closetId] = [newId(), newId()]
  const rooms = Array.from({ length: 20 }, () => newId())
  await sql`insert into partners (id, name, created_at) values (${partnerId}, 'Acme', now())`
  await sql`insert into customers (id, partner_id, name, created_at) values (${customerId}, ${partnerId}, 'Customer', now()), (${smallId}, ${partnerId}, 'Small', now())`
  await sql`
    insert into spaces (id, customer_id, parent_id, name, created_at) values
      (${siteId}, ${customerId}, null, 'Site', now()), (${closetId}, ${customerId}, null, 'Closet', now()),
      (${spaceId}, ${customerId}, ${siteId}, 'Hall', now())`
  await sql`
    insert into spaces (id, customer_id, parent_id, name, created_at)
    select id, ${customerId}, ${spaceId}, id::text, now() from unnest(${rooms}::uuid[]) as id`
  await sql`
    insert into models (id, partner_id, name, authentication_method, created_at)
    values (${modelId}, ${partnerId}, 'Sensor', 'MAC & Serial Number', now())`
  // Built afterwards, the indexes of the search take a fraction of the time.
  const indexes = (
    await sql<{ indexdef: string }[]>`
      select indexdef from pg_indexes where tablename = 'device_texts' and indexname like 'device_texts_by%'`
  ).map(({ indexdef }) => indexdef)
  await sql`drop index device_texts_by_customer, device_texts_by_partner`
  // One in ten is unclaimed, one in ten has the status error, and one in ten is in a room below the hall; a hundred are in
  // the closet, one in a hundred in no space, and the others on the site, to which the hall belongs.
  await sql`
    insert into devices (id, partner_id, model_id, mac, sn, firmware_version, registered_at, customer_id, name, space_id,
      claimed_at, status, status_at)
    select ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, ${partnerId}, ${modelId},
      regexp_replace(lpad(to_hex(n), 12, '0'), '(..)(?!$)', '\\1:', 'g'), 'SN-' || lpad(n::text, 9, '0'), '1.4.2', now(),
      case when n % 10 <> 0 then case when n < 10 then ${smallId}::uuid else ${customerId}::uuid end end,
      case when claimed then case when n % 2 = 0 then 'Valve ' || n else 'Room sensor ' || lpad(n::text, 9, '0') end end,
      case when not claimed or n <= 10 or n % 100 = 9 then null when n % 10 = 1 then (${rooms}::uuid[])[n / 10 % 20 + 1]
        when n % 10 = 2 and n <= 1002 then ${closetId}::uuid else ${siteId}::uuid end,
      case when claimed then now() end,
      case when n % 10 = 3 then 'error' when n % 7 = 0 then 'offline' when n % 20 = 1 then 'never_seen' else 'online' end, now()
    from (select n, n % 10 <> 0 as claimed from generate_series(1, ${devices}::int) n) numbered`
  await sql`
    insert into device_states (bucket, device_id, number, customer_id, key_digest, status)
    select device_bucket(id), id, number, customer_id, decode(md5(id::text), 'hex'), status from devices`
  await sql`
    insert into device_tags (customer_id, tag, device_id)
    select customer_id, 'all', id from devices where customer_id = ${customerId}
    union all select customer_id, 'some', id from devices where customer_id = ${customerId} and number % 1000 = 1`
  for (const index of indexes) await sql.unsafe(index)
  await sql`vacuum analyze`
  const organizationKey = await addKey({ customer_id: customerId })
  const smallKey = await addKey({ customer_id: smallId })
  const partnerKey = await addKey({ partner_id: partnerId })
  const closetKey = await addKey({ customer_id: customerId }, [closetId])
  const siteKey = await addKey({ customer_id: customerId }, [siteId])
  await sql.end()
  const service = await startService(databaseUrl)
  return { service, organizationKey, smallKey, partnerKey, modelId, spaceId, closetKey, siteKey }

  async function addKey(
    owner: { customer_id: string } | { partner_id: string },
    within: string[] | null = null,
  ): Promise<string> {
    const key = mintSecret('api_key')
    const row = {
      id: newId(),
      name: randomBytes(2).toString('hex'),
      digest: digest(key),
      hint: hint(key),
      created_at: new Date(),
    }
    await sql`insert into api_keys ${sql({ ...row, ...owner })}`
    if (within) await sql`update api_keys set within = ${within}::uuid[] where id = ${row.id}`
    return key
  }
}

if (import.meta.main) await runAlone(measure)
