import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { connect, openCode, refresh, registerApplication } from '../../../../test/support/applications.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { runJob } from '../../platform/jobs.ts'
import { retiredTokensJob } from './retired-tokens.ts'
import { expiryJob } from './token-expiry.ts'

const service = await startHarness()
const application = await registerApplication(service)
const day = 24 * 3600

async function rows() {
  const [counts] = await service.sql`
    select (select count(*)::int from access_tokens) as access, (select count(*)::int from refresh_tokens) as refresh,
      (select count(*)::int from retired_refresh_tokens) as retired, (select count(*)::int from authorization_codes) as codes`
  return { ...counts }
}

describe('3 expired tokens and codes are deleted, and nothing before', () => {
  it('codes after a minute, access tokens after an hour, refresh tokens after 90 days, retired ones with their month', async () => {
    const { refresh_token } = await connect(service, application)
    await refresh(service, application, refresh_token)
    await openCode(service, application)
    const expire = async () => {
      for (const job of [expiryJob(service.context), retiredTokensJob(service.context)]) await runJob(service.sql, job)
    }
    await expire()
    assert.deepEqual(await rows(), { access: 2, refresh: 1, retired: 1, codes: 2 })
    service.clock.forward(3500)
    await expire()
    assert.deepEqual(await rows(), { access: 2, refresh: 1, retired: 1, codes: 0 })
    service.clock.forward(day)
    await expire()
    assert.deepEqual(await rows(), { access: 0, refresh: 1, retired: 1, codes: 0 })
    service.clock.forward(89 * day)
    await expire()
    assert.deepEqual(await rows(), { access: 0, refresh: 0, retired: 1, codes: 0 })
  })

  it('one run deletes more than one batch', async () => {
    await service.sql`
      insert into access_tokens (digest, grant_id, user_id, scope, expires_at)
      select sha256(n::text::bytea), ${application.user_id}, ${application.user_id}, '', '2020-01-01'
      from generate_series(1, 2500) n`
    await runJob(service.sql, expiryJob(service.context))
    assert.equal((await rows()).access, 0)
  })
})
