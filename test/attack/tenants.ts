import { openDatabase } from '../../server/src/platform/database/database.ts'
import { newId } from '../../server/src/platform/secrets/identifiers.ts'
import { digest, hint, mintSecret } from '../../server/src/platform/secrets/secrets.ts'

/** A large organization and a small one, each with an API key. */
export async function createTenants(databaseUrl: string, devices: number): Promise<{ large: string; small: string }> {
  const sql = openDatabase({ url: databaseUrl, max: 1, statementSeconds: 600 })
  const [partner, model, large, small] = [newId(), newId(), newId(), newId()]
  await sql`insert into partners (id, name, created_at) values (${partner}, 'Acme', now())`
  await sql`
    insert into customers (id, partner_id, name, created_at)
    values (${large}, ${partner}, 'Large', now()), (${small}, ${partner}, 'Small', now())`
  await sql`
    insert into models (id, partner_id, name, authentication_method, created_at)
    values (${model}, ${partner}, 'Sensor', 'MAC & Serial Number', now())`
  await sql`
    insert into devices (id, partner_id, model_id, mac, sn, firmware_version, registered_at, customer_id, name,
      claimed_at, status, status_at)
    select ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, ${partner}, ${model},
      regexp_replace(lpad(to_hex(n), 12, '0'), '(..)(?!$)', '\\1:', 'g'), 'SN-' || n, '1.4.2', now(),
      case when n <= 50 then ${small}::uuid else ${large}::uuid end, 'Room sensor ' || n, now(), 'online', now()
    from generate_series(1, ${devices}::int) n`
  await sql`
    insert into device_states (bucket, device_id, number, customer_id, key_digest, status)
    select device_bucket(id), id, number, customer_id, decode(md5(id::text), 'hex'), status from devices`
  await sql`vacuum analyze`
  const addKey = async (customer_id: string) => {
    const key = mintSecret('api_key')
    const row = { id: newId(), name: 'Attack', digest: digest(key), hint: hint(key), created_at: new Date() }
    await sql`insert into api_keys ${sql({ ...row, customer_id })}`
    return key
  }
  const keys = { large: await addKey(large), small: await addKey(small) }
  await sql.end()
  return keys
}
