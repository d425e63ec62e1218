import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe } from 'node:test'
import { callApi } from '../../server/src/cli/simulate/portal-session.ts'
import { it } from '../support/browser/browser.ts'
import { axeViolations, createWorld } from '../support/portal-world.ts'

const world = await createWorld({ LANDBRIDGE_WEBHOOK_ALLOW: '127.0.0.1' })
const at = (path: string) => `/partner/${world.partner.id}${path}`
const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

describe('partner portal', () => {
  it('2.4 a model is created and opens on its Hardware Keys tab, where a key can be added and revoked; it is hidden on every tab until shown', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at('/models'))
      await page.getByRole('button', { name: 'New model' }).click()
      assert.equal(await page.getByLabel('Authentication method').inputValue(), 'MAC & Serial Number')
      await page.getByLabel('Model name').fill('Door sensor')
      await page.getByRole('button', { name: 'Create model' }).click()
      await page.getByRole('tab', { name: 'Hardware Keys', selected: true }).waitFor()
      await page.getByRole('button', { name: 'Add key' }).click()
      await page.getByText('Active').nth(1).waitFor()
      await page.getByRole('button', { name: 'Revoke' }).first().click()
      await page.getByRole('dialog').getByRole('textbox').fill('Door sensor')
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click()
      await page.getByText('Revoked', { exact: true }).waitFor()
      for (const tab of ['Hardware Keys', 'Register a device']) {
        await page.getByRole('tab', { name: tab }).click()
        const panel = page.getByRole('tabpanel', { name: tab })
        const keys = panel.getByText(/lbh_[\w-]{20,}/)
        const show = panel.getByRole('button', { name: 'Show key' }).last()
        await show.waitFor()
        assert.equal(await keys.count(), 0, `the key is hidden on the tab ${tab}`)
        await show.click()
        await keys.waitFor()
      }
    })
  })

  it('redirect URIs are changed, and an invalid one shows the error of the service', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at(`/applications/${world.application.client_id}?tab=redirect-uris`))
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByLabel('Redirect URI 3', { exact: true }).fill('http://example.com/not-https')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Use https, except on a loopback host', { exact: true }).waitFor()
      await page.getByLabel('Redirect URI 3', { exact: true }).fill('https://example.com/second')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Redirect URIs saved.').waitFor()
    })
  })

  it('redirect URIs that someone else changed meanwhile are not overwritten', async () => {
    const path = `/applications/${world.application.client_id}`
    await world.visit({}, async (page) => {
      const saveElsewhere = async (redirect_uris: string[]) => {
        const headers = { origin: world.url, 'landbridge-partner': world.partner.id }
        const url = `${world.url}/core/v1/partner${path}`
        const response = await page.context().request.patch(url, { headers, data: { redirect_uris } })
        assert.equal(response.status(), 200)
      }
      await page.goto(at(`${path}?tab=redirect-uris`))
      const first = page.getByLabel('Redirect URI 1', { exact: true })
      await first.waitFor()
      const fields = await page.getByLabel(/^Redirect URI \d$/).all()
      const before = await Promise.all(fields.map((field) => field.inputValue()))
      await page.waitForLoadState('networkidle')
      await saveElsewhere([...before, 'https://example.com/theirs'])
      await first.fill('https://example.com/mine')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Someone else changed this').first().waitFor()
      await page.locator('input[value="https://example.com/theirs"]').waitFor()
      assert.equal(await first.inputValue(), before[0])
      await page.getByRole('button', { name: `Remove redirect URI ${before.length + 1}` }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Redirect URIs saved.').waitFor()
    })
  })

  it('the simulator registers a device, sends, claims it in the lab, the chart has what it sent, and it goes on with the device later', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at('/simulator'))
      await page.getByRole('button', { name: 'Register simulated device' }).click()
      await page.getByText('"hub_url"').waitFor()
      await page.getByRole('button', { name: 'Start sending' }).click()
      await page.getByText(/Sending, ([2-9]|\d{2,}) sent/).waitFor()
      await page.getByRole('img', { name: /Chart\. temperature: [1-9]\d* points/ }).waitFor()
      await page.getByRole('button', { name: 'Claim in test tenant' }).click()
      await page.getByRole('link', { name: 'Open in the customer portal' }).click()
      const heading = page.getByRole('heading', { name: /^Simulated SIM-/ })
      await heading.waitFor()
      const sn = (await heading.textContent())!.replace('Simulated ', '')
      await page.getByText('temperature').first().waitFor()

      await page.goto(at('/simulator'))
      await page.getByRole('link', { name: 'Open in the customer portal' }).waitFor()
      await page.getByRole('button', { name: 'Send once' }).click()
      await page.getByText('200').first().waitFor()
      const kept = await page.evaluate<string>('JSON.stringify(localStorage)')
      assert.ok(kept.includes(sn) && !kept.includes('lbd_'), 'the access key stays in its tab')
      // Another tab, or the next day: the same device with a new key.
      await page.evaluate('sessionStorage.clear()')
      await page.reload()
      await page.getByRole('button', { name: `Continue with ${sn}` }).click()
      await page.getByRole('button', { name: 'Send once' }).click()
      await page.getByText('200').first().waitFor()
      await page.getByRole('link', { name: 'Open in the customer portal' }).click()
      await page.getByRole('heading', { name: `Simulated ${sn}` }).waitFor()
    })
  })

  it('4.1–4.4 the playground walks the whole flow: consent, code, tokens, API, refresh, revocation', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at('/playground'))
      await page.getByLabel('Client secret').fill(world.application.client_secret)
      await page.getByRole('button', { name: 'Prepare request' }).click()
      await page.getByRole('button', { name: 'Continue to sign in and approve' }).click()
      await page.getByText('Harbour Hotels').click()
      await page.locator('button[name=decision][value=approve]').click()
      await page.getByText('The state matches the one we sent').waitFor()
      await page.getByRole('button', { name: 'Exchange the code for tokens' }).click()
      await page.getByText('"token_type": "Bearer"').waitFor()
      await page.getByText('"org_name": "Harbour Hotels"').waitFor()
      await page.getByRole('button', { name: 'List users' }).click()
      await page.getByText('"email": "ben@harbour.example"').waitFor()
      await page.getByRole('button', { name: 'Read a device' }).click()
      await page.getByText(/"data_points": \[/).waitFor()
      await page.getByRole('button', { name: 'Userinfo' }).click()
      await page.getByText('GET /oauth/userinfo').waitFor()
      await page.getByRole('button', { name: 'Refresh' }).click()
      await page.getByText('grant_type=refresh_token').waitFor()
      await page.getByRole('button', { name: 'Revoke' }).click()
      await page.getByText('POST /oauth/revoke').waitFor()
      await page.getByRole('button', { name: 'List users' }).click()
      await page.getByText('"error": "Not authorized"').waitFor()
      const text = await page.locator('body').textContent()
      assert.ok(!text!.includes(world.application.client_secret), 'the secret is never shown')
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
      const { error_description } = (await refused.json()) as { error_description: string }
      await page.getByRole('article').getByText(error_description).waitFor()
    })
    const foreign = 'https://unregistered.example/callback'
    const query = new URLSearchParams({ client_id: world.application.client_id, redirect_uri: foreign })
    const page400 = await fetch(`${world.url}/oauth/authorize?${query}`)
    await world.visit({}, async (page) => {
      await page.goto(at(`/integration-log?request_id=${page400.headers.get('x-request-id')}`))
      await page.getByText(foreign).waitFor()
      assert.equal(await page.getByRole('article').getByRole('link').count(), 0, 'a stranger’s address is no link')
    })
  })

  it('a webhook is created with a secret shown once; a private address is refused with the reason', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at('/webhooks'))
      await page.getByRole('button', { name: 'New webhook' }).first().click()
      await page.getByLabel('Address').fill('https://10.0.0.1/hook')
      await page.getByRole('button', { name: 'Create webhook' }).click()
      await page.getByRole('dialog').locator('[class*=error]').first().waitFor()
      await page.getByLabel('Address').fill('https://cloud.northwind.example/hook')
      await page.getByRole('button', { name: 'Create webhook' }).click()
      await page.getByText(/^whsec_[\w+/=-]{20,}$/).waitFor()
      await page.getByText('We keep it encrypted, to sign every event with it.').waitFor()
      await page.getByRole('button', { name: 'I have copied it' }).click()
      await page.getByRole('link', { name: 'https://cloud.northwind.example/hook' }).click()
      await page.getByText('Delivery log').waitFor()
    })
  })

  it('a delivery that failed is sent again from the delivery log, once the partner’s cloud is up', async () => {
    const cloud = { status: 500, got: [] as string[] }
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (bytes) => {
        body += bytes
      })
      request.on('end', () => {
        // Devices of the tests before may change their status meanwhile.
        if (body.includes('webhook.test')) cloud.got.push(String(request.headers['webhook-id']))
        response.writeHead(cloud.status).end()
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    after(() => server.close())
    const { port } = server.address() as AddressInfo
    await world.visit({}, async (page) => {
      await page.goto(at('/webhooks'))
      const dialog = page.getByRole('dialog')
      await page.getByRole('button', { name: 'New webhook' }).first().click()
      await dialog.getByLabel('Address').fill(`http://127.0.0.1:${port}/hook`)
      await dialog.getByRole('button', { name: 'Create webhook' }).click()
      await dialog.getByRole('button', { name: 'I have copied it' }).click()
      await page.getByRole('link', { name: `http://127.0.0.1:${port}/hook` }).click()
      await page.getByRole('button', { name: 'Send test event' }).click()
      const delivery = page.getByRole('article').first()
      await delivery.getByText('1 attempt', { exact: true }).waitFor()
      await delivery.getByText('500', { exact: true }).waitFor()
      await delivery.getByText('The last attempt failed.').waitFor()
      cloud.status = 200
      await delivery.getByRole('button', { name: 'Send again' }).click()
      await delivery.getByText('Delivered', { exact: true }).waitFor()
      await page.getByRole('radiogroup', { name: 'State' }).getByText('Failed').click()
      await page.getByText('No deliveries').waitFor()
    })
    assert.equal(cloud.got.length, 2)
    assert.equal(new Set(cloud.got).size, 1, 'the same event, under the same id')
  })

  it('1.5 the partner makes a device ready for replacement, and removes one by typing its serial', async () => {
    const device = world.devices[2]!
    await world.visit({}, async (page) => {
      await page.goto(at(`/devices/${device.id}`))
      const dialog = page.getByRole('dialog')
      await page.getByRole('button', { name: 'Replace hardware' }).click()
      await dialog.getByRole('button', { name: 'Allow for one hour' }).click()
      await page.getByText('Ready for replacement').waitFor()
      await page.getByRole('button', { name: 'Remove' }).click()
      await dialog.getByText('The customer who claimed it loses access.').waitFor()
      assert.ok(await dialog.getByRole('button', { name: 'Remove device' }).isDisabled())
      await dialog.getByRole('textbox').fill(device.sn)
      await dialog.getByRole('button', { name: 'Remove device' }).click()
      await page.waitForURL((url) => url.pathname === at('/devices'))
      await page.getByRole('link', { name: world.devices[0]!.sn }).waitFor()
      await page.getByRole('link', { name: device.sn }).waitFor({ state: 'detached' })
    })
  })

  it('decision 6.46: a colour is shown on the next page; a name and a logo once the operator approves them', async () => {
    const approveAll = async () => {
      const headers = { authorization: world.operatorKey }
      const path = `${world.url}/core/v1/operator/presentation-changes`
      const { items } = await callApi(path, 'GET', undefined, headers)
      const { id, revision } = items.find(({ client_id }: { client_id: string | null }) => client_id === null)
      await callApi(`${path}/${id}/approve`, 'POST', { revision }, headers)
    }
    await world.visit({}, async (page) => {
      await page.goto(at('/company'))
      await page.getByLabel('Accent colour', { exact: true }).fill('#7a3cff')
      assert.equal(await page.getByLabel('Pick the accent colour').inputValue(), '#7a3cff')
      await page.getByRole('button', { name: 'Save colour' }).click()
      await page.getByText('Saved. Reload the page to see it.').first().waitFor()
      await page.getByLabel('Company name').fill('Northwind Ltd')
      await page.getByRole('button', { name: 'Save name' }).click()
      await page.getByText('Waits for approval by the operator').waitFor()
      await page.getByText('Name: Northwind Ltd').waitFor()
      await page.getByRole('button', { name: 'Withdraw' }).click()
      await page.getByText('Waits for approval by the operator').waitFor({ state: 'detached' })
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: onePixel })
      await page.getByRole('img', { name: 'Requested logo' }).waitFor()
      assert.equal(await page.getByRole('img', { name: 'Your logo' }).count(), 0)
      assert.deepEqual(await axeViolations(page), [])
      await approveAll()
      await page.goto(`/customer/${world.customer.id}`)
      const home = page.getByRole('link', { name: 'Northwind Controls: home' })
      const logo = home.locator('img')
      await logo.waitFor()
      assert.equal(await logo.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth), 1)
      const accent = await page.evaluate<string>(
        "getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()",
      )
      assert.equal(accent, '#7a3cff')
      await page.goto(at('/company'))
      await page.getByRole('button', { name: 'Remove logo' }).click()
      await page.getByText('Logo: none').waitFor()
      await approveAll()
      await page.reload()
      await page.getByRole('button', { name: 'Add a logo' }).waitFor()
    })
  })

  it('decision 6.45: a domain is entered, its record is shown, and it is verified once the record is found', async () => {
    await world.visit({}, async (page) => {
      await page.goto(at('/company'))
      await page.getByRole('button', { name: 'Use another domain' }).click()
      await page.getByRole('textbox', { name: 'Domain' }).fill('localhost')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByText('Enter a domain of the public internet').waitFor()
      await page.getByRole('textbox', { name: 'Domain' }).fill('northwind-test-7f3a.com')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByText('_landbridge-challenge.northwind-test-7f3a.com').waitFor()
      await page.getByText('Not verified', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Check now' }).click()
      // With a network the record is missing, without one there is no answer.
      await page.getByText(/The record was not found|DNS gave no answer/).waitFor()
      assert.deepEqual(await axeViolations(page), [])
      await world.sql`
        update partner_domains set verified_at = now(), result = 'found', found_at = now()
        where partner_id = ${world.partner.id}`
      await page.reload()
      await page.getByText('Verified', { exact: true }).first().waitFor()
      await page.goto(`/customer/${world.customer.id}/settings/connected-apps`)
      await page.getByText('northwind-test-7f3a.com (verified)').waitFor()
      await page.goto(at('/company'))
      await page.getByRole('button', { name: 'Remove', exact: true }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Remove domain' }).click()
      await page.getByRole('textbox', { name: 'Domain' }).waitFor()
      await page.goto(`/customer/${world.customer.id}/settings/connected-apps`)
      await page.getByText('domain not verified').waitFor()
    })
  })
})
