import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { createWorld } from './world.ts'

const world = await createWorld()
const at = (path: string) => `/partner/${world.partner.id}${path}`

async function userStatus(accessToken: string): Promise<number> {
  const headers = { authorization: `Bearer ${accessToken}` }
  return (await fetch(`${world.url}/core/v1/organization/users`, { headers })).status
}

describe('partner portal', () => {
  it('2.4 a model is made and opens on its Hardware Keys tab, where a key can be added and revoked', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at('/models'))
      await page.getByRole('button', { name: 'New model' }).click()
      assert.equal(await page.getByLabel('Authentication method').inputValue(), 'MAC & Serial Number')
      await page.getByLabel('Model name').fill('Door sensor')
      await page.getByRole('button', { name: 'Create model' }).click()
      await page.getByRole('tab', { name: 'Hardware Keys', selected: true }).waitFor()
      await page.getByRole('button', { name: 'Add a key' }).click()
      await page.getByText('Active').nth(1).waitFor()
      await page.getByRole('button', { name: 'Revoke' }).first().click()
      await page.getByRole('dialog').getByRole('textbox').fill('Door sensor')
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click()
      await page.getByText('Revoked', { exact: true }).waitFor()
    })
  })

  it('redirect URIs are changed, and a bad one is named in the service’s own words', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at(`/applications/${world.application.client_id}?tab=redirect-uris`))
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByLabel('Redirect URI 3', { exact: true }).fill('http://example.com/not-https')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('must use https, except on a loopback host', { exact: true }).waitFor()
      await page.getByLabel('Redirect URI 3', { exact: true }).fill('https://example.com/second')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved: the new list holds').waitFor()
    })
  })

  it('the simulator registers a device, sends, claims it in the lab, and the chart has what it sent', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at('/simulator'))
      await page.getByRole('button', { name: 'Register a simulated device' }).click()
      await page.getByText('"hub_url"').waitFor()
      await page.getByRole('button', { name: 'Start sending' }).click()
      await page.getByText(/Sending, ([2-9]|\d{2,}) sent/).waitFor()
      await page.getByRole('img', { name: /Chart\. temperature: [1-9]\d* points/ }).waitFor()
      await page.getByRole('button', { name: 'Claim for the lab tenant' }).click()
      await page.getByRole('link', { name: 'Open it as the customer sees it' }).click()
      await page.getByRole('heading', { name: /^Simulated SIM-/ }).waitFor()
      await page.getByText('temperature').first().waitFor()
    })
  })

  it('4.1–4.4 the playground walks the whole flow: consent, code, tokens, API, refresh, revocation', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at('/playground'))
      await page.getByLabel('Client secret').fill(world.application.client_secret)
      await page.getByRole('button', { name: 'Prepare the request' }).click()
      await page.getByRole('button', { name: 'Go there, sign in and approve' }).click()
      await page.getByText('Harbour Hotels').click()
      await page.locator('button[name=decision][value=approve]').click()
      await page.getByText('state is the one we sent').waitFor()
      await page.getByRole('button', { name: 'Exchange the code for tokens' }).click()
      await page.getByText('"token_type": "Bearer"').waitFor()
      await page.getByText('"org_name": "Harbour Hotels"').waitFor()
      await page.getByRole('button', { name: 'List users' }).click()
      await page.getByText('"email": "ben@harbour.example"').waitFor()
      await page.getByRole('button', { name: 'Userinfo' }).click()
      await page.getByText('GET /oauth/userinfo').waitFor()
      await page.getByRole('button', { name: 'Refresh' }).click()
      await page.getByText('grant_type=refresh_token').waitFor()
      await page.getByRole('button', { name: 'Revoke' }).click()
      await page.getByText('POST /oauth/revoke').waitFor()
      await page.getByRole('button', { name: 'List users' }).click()
      await page.getByText('"error": "Not authorized"').waitFor()
      const shown = await page.locator('body').textContent()
      assert.ok(!shown!.includes(world.application.client_secret), 'the secret is never shown')
    })
  })

  it('the integration log says why a token request was refused, found by its request id', async () => {
    const refused = await fetch(`${world.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'refresh_token', refresh_token: 'lbr_nonsense' },
        ...{ client_id: world.application.client_id, client_secret: world.application.client_secret },
      }),
    })
    assert.equal(refused.status, 400)
    await world.visit({}, async (page) => {
      await page.goto(at(`/integration-log?request_id=${refused.headers.get('x-request-id')}`))
      await page.getByText('invalid_grant').first().waitFor()
      assert.equal(await page.getByRole('article').count(), 1)
    })
  })

  it('a webhook is made with a secret shown once; a private address is refused with the reason', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at('/webhooks'))
      await page.getByRole('button', { name: 'New webhook' }).first().click()
      await page.getByLabel('Address').fill('https://127.0.0.1/hook')
      await page.getByRole('button', { name: 'Create webhook' }).click()
      await page.getByRole('dialog').locator('[class*=error]').first().waitFor()
      await page.getByLabel('Address').fill('https://cloud.northwind.example/hook')
      await page.getByRole('button', { name: 'Create webhook' }).click()
      await page.getByText(/^whsec_[\w+/=-]{20,}$/).waitFor()
      await page.getByRole('button', { name: 'I have copied it' }).click()
      await page.getByRole('link', { name: 'https://cloud.northwind.example/hook' }).click()
      await page.getByText('Delivery log').waitFor()
    })
  })
})

describe('operator console', () => {
  async function open(page: Page): Promise<void> {
    await page.goto('/operator')
    await page.getByLabel('Operator key').fill(world.operatorKey)
    await page.getByRole('button', { name: 'Open the console' }).click()
  }

  it('a wrong key is refused; the right one opens health and traffic, and leaves with the tab', async () => {
    await world.visit({ signedIn: false }, async (page) => {
      await page.goto('/operator')
      await page.getByLabel('Operator key').fill('not the key at all, but long enough to be one')
      await page.getByRole('button', { name: 'Open the console' }).click()
      await page.getByText('That is not this service’s operator key.').waitFor()
      await open(page)
      await page.getByText('Ready', { exact: true }).waitFor()
      await page.getByText('Busiest routes').waitFor()
      await page.getByRole('button', { name: 'Lock the console' }).click()
      await page.getByLabel('Operator key').waitFor()
    })
  })

  it('2.1 disabling says how many grants it revokes, and revokes them; enabling gives none back; a secret is rotated', async () => {
    // The playground has connected it anew, or the scene's own grant still stands: one customer either way.
    const { application } = world
    await world.sql`update grants set revoked_at = null, revoked_because = null
      where id = (select id from grants where client_id = ${application.client_id} order by id desc limit 1)`
    await world.visit({ signedIn: false }, async (page) => {
      await open(page)
      await page.getByRole('link', { name: 'Applications' }).click()
      await page.getByRole('link', { name: application.name }).click()
      await page.getByRole('button', { name: 'Disable' }).click()
      await page.getByText('1 grant is revoked at once').waitFor()
      await page.getByRole('dialog').getByRole('textbox').fill(application.name)
      await page.getByRole('dialog').getByRole('button', { name: 'Disable application' }).click()
      await page.getByText('Disabled. 1 grant was revoked.').waitFor()
      assert.equal(await userStatus(world.tokens.access_token), 401)
      await page.getByRole('button', { name: 'Enable' }).click()
      await page.getByText('Its grants stay revoked').waitFor()
      assert.equal(await userStatus(world.tokens.access_token), 401)
      await page.getByRole('button', { name: 'Rotate secret' }).click()
      await page.getByRole('button', { name: 'Make a new secret' }).click()
      await page.getByText(/^lbs_[\w-]{20,}$/).waitFor()
      await page.getByRole('button', { name: 'I have copied it' }).click()
    })
  })

  it('a partner, its application and a signing key are made', async () => {
    await world.visit({ signedIn: false }, async (page) => {
      await open(page)
      await page.getByRole('link', { name: 'Partners' }).click()
      await page.getByRole('button', { name: 'New partner' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Fjord Systems')
      await dialog.getByLabel('First person').fill('Kari Nordmann')
      await dialog.getByLabel('Email').fill('kari@fjord.example')
      await dialog.getByRole('textbox', { name: 'Password' }).fill('long enough a password')
      await page.getByRole('button', { name: 'Create partner' }).click()
      await page.getByRole('link', { name: 'Fjord Systems' }).click()
      await page.getByRole('button', { name: 'New application' }).click()
      await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Fjord App')
      await dialog.getByLabel('Redirect URIs').fill('https://fjord.example/callback')
      await page.getByRole('button', { name: 'Register' }).click()
      await page.getByText('Fjord App is registered').waitFor()
      await page.getByRole('button', { name: 'I have copied it' }).click()
      await page.getByRole('link', { name: 'Signing keys' }).click()
      await page.getByRole('button', { name: 'Add a key' }).click()
      await page.getByRole('menuitem', { name: /^ES256/ }).click()
      await page.getByText('Published, signs soon').waitFor()
    })
  })
})
