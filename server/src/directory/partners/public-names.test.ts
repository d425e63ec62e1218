import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHarness } from '../../../../test/support/harness.ts'
import { newPartner } from '../../../../test/support/partners.ts'
import { renderPage } from '../../platform/pages/page.ts'
import { reservedNameIn } from './public-names.ts'

const service = await startHarness()
const partner = await newPartner(service, { name: 'Harbour Audio' })
const other = await newPartner(service, { name: 'Acme Lights' })

describe('decision 6.41: a name on the consent screen is nobody else’s', () => {
  for (const name of ['Landbridge', 'Land bridge', 'Lаndbrіdge', 'Landbridge Support', 'Support', 'Sеcurity Team']) {
    it(`a partner cannot call itself ${name}`, async () => {
      const { status, body } = await partner.call('PATCH', '/info', { name })
      assert.equal(status, 422)
      const message = 'must not be mistaken for Landbridge or for those who run it'
      assert.deepEqual(body.details, [{ field: 'name', message }])
    })
  }

  it('nor like another partner, nor its application', async () => {
    const { body } = await service.operator('POST', `/partners/${partner.id}/applications`, {
      name: 'Harbour Control',
      redirect_uris: ['https://harbour.example/callback'],
    })
    for (const name of ['Acme Lights', 'ACME-LIGHTS', 'Αcme Lіghts', 'Acme 1ights']) {
      const self = await partner.call('PATCH', '/info', { name })
      assert.deepEqual([self.status, self.body.code], [409, 'name_confusable'], name)
      const application = await partner.call('PATCH', `/applications/${body.client_id}`, { name })
      assert.deepEqual([application.status, application.body.code], [409, 'name_confusable'], name)
    }
    assert.equal(
      (await other.call('PATCH', '/info', { name: 'Acme lights' })).status,
      200,
      'its own, otherwise written',
    )
  })

  it('the operator may give a name that it can see to be taken, and none that only looks like it', async () => {
    const create = async (name: string) => {
      const admin = { name: 'Ada', email: `${Math.random()}@example.com`, password: 'correct horse battery' }
      return (await service.operator('POST', '/partners', { name, portal_domain: null, admin })).status
    }
    assert.equal(await create('Twin'), 201)
    assert.equal(await create('Twin'), 201)
    assert.equal(await create('Twіn'), 409)
    assert.equal(await create('Landbridge Apps'), 201)
    assert.equal(await create('Lаndbridge Apps'), 422)
  })

  it('ordinary names are not reserved', () => {
    for (const name of ['Acme', 'Acme Support', 'Bridge', 'Security Systems Ltd', '支持']) {
      assert.equal(reservedNameIn(name), undefined, name)
    }
  })

  it('the mark is beside the service’s own name only', () => {
    assert.ok(renderPage({ title: 'Sign in', body: '' }).includes('class="mark"'))
    assert.ok(!renderPage({ title: 'Sign in', body: '', brand: { name: 'Landbridge' } }).includes('class="mark"'))
  })
})
