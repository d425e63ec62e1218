// Sign-in, consent and requests for an approval, from the member to the administrator and back; and the operator's pages
// of customers and people.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { callApi } from '../../server/src/cli/simulate/portal-session.ts'
import { it } from '../support/browser/browser.ts'
import { axeViolations, createWorld } from '../support/portal-world.ts'

const world = await createWorld()
const { url, customer, partner, password, operatorKey } = world
const redirect_uri = 'https://energy.northwind.example/callback'

async function operator(path: string, body: object) {
  const headers = { authorization: operatorKey, 'content-type': 'application/json' }
  const response = await fetch(`${url}/core/v1/operator${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  assert.equal(response.status, 201)
  return (await response.json()) as { client_id: string; id: string }
}

async function registerApplication(name: string): Promise<string> {
  return (await operator(`/partners/${partner.id}/applications`, { name, redirect_uris: [redirect_uri] })).client_id
}

/** What the partner asked to show of it. */
async function approveLook(clientId: string): Promise<void> {
  const path = `${url}/core/v1/operator/presentation-changes`
  const headers = { authorization: operatorKey }
  const { items } = await callApi(path, 'GET', undefined, headers)
  const { id, revision } = items.find(({ client_id }: { client_id: string | null }) => client_id === clientId)
  await callApi(`${path}/${id}/approve`, 'POST', { revision }, headers)
}

function authorizePath(client_id: string): string {
  const code_challenge = createHash('sha256').update(randomBytes(32)).digest('base64url')
  const asked = { response_type: 'code', client_id, redirect_uri, scope: 'openid', state: 's' }
  return `/oauth/authorize?${new URLSearchParams({ ...asked, code_challenge, code_challenge_method: 'S256' })}`
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** In both colour schemes, on a phone. */
async function inspect(page: Page, name: string): Promise<void> {
  // A tooltip under the pointer is outside of every landmark.
  await page.mouse.move(0, 0)
  const found: string[] = []
  found.push(...(await axeViolations(page)))
  await page.emulateMedia({ colorScheme: 'dark' })
  found.push(...(await axeViolations(page, 'colours')))
  await page.emulateMedia({ colorScheme: 'light' })
  assert.deepEqual(found, [], name)
  const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
  assert.ok(Number(tooWide) <= 0, `${name} is ${tooWide} px too wide`)
}

const isLoaded = (page: Page) =>
  page.locator('.application img').evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 0)

/** A picture of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'light' as const }

describe('sign-in and consent', () => {
  it('a member asks, an administrator finds the request and approves for a group, and the member connects', async () => {
    const clientId = await registerApplication('Northwind Energy')
    await world.visit({}, async (page) => {
      await page.goto(`/partner/${partner.id}/applications/${clientId}?tab=look`)
      await page.getByLabel('Home page').fill('http://energy.northwind.example')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText(/https address, such as/).waitFor()
      await page.getByLabel('Home page').fill('https://energy.northwind.example/about')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Sent to the operator for approval.').waitFor()
      // The form begins anew with what waits.
      await page.getByText('Waits for approval by the operator').waitFor()
      await page
        .locator('input[type=file]')
        .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('<svg onload="alert(1)"/>') })
      await page.getByText(/must be an image of type image\/png/).waitFor()
      await page.locator('input[type=file]').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png })
      await page.getByRole('img', { name: 'Requested logo' }).waitFor()
      assert.equal(await page.getByLabel('Home page').inputValue(), 'https://energy.northwind.example/about')
    })
    await approveLook(clientId)

    await world.visit({ signedIn: false, ...phone }, async (page) => {
      await page.goto(authorizePath(clientId))
      await page.getByText('Northwind Energy asks to be connected. Sign in to decide.').waitFor()
      await page.getByRole('link', { name: 'energy.northwind.example' }).waitFor()
      await page.getByText('Domain not verified').waitFor()
      await inspect(page, 'sign-in')
      assert.ok(await isLoaded(page), 'the logo')
      await signIn(page, world.member.email)
      await page.getByRole('heading', { name: 'You cannot connect Northwind Energy yet' }).waitFor()
      assert.equal(await page.getByRole('button').count(), 0, '4.1: nothing to submit')
      await inspect(page, 'nothing to choose')
      await page.getByRole('link', { name: 'Ask an administrator' }).click()
      await page.getByLabel('Message').fill('For the energy report.')
      await inspect(page, 'ask')
      await page.getByRole('button', { name: 'Send request' }).click()
      await page.getByRole('heading', { name: 'Request sent' }).waitFor()
      await inspect(page, 'asked')
      await page.getByRole('link', { name: 'Your requests' }).click()
      await page.getByText(/Waiting for an administrator since/).waitFor()
      await inspect(page, 'own requests')
    })

    await world.visit(phone, async (page) => {
      await page.goto(`/customer/${customer.id}`)
      await page.getByRole('link', { name: 'Ben Okri asks for Northwind Energy' }).click()
      await page.waitForURL(`**/customer/${customer.id}/settings/connected-apps`)
      const request = page.getByRole('article', { name: 'Northwind Energy for Ben Okri' })
      await request.getByText('“For the energy report.”').waitFor()
      await inspect(page, 'connected apps with a request')
      await request.getByRole('button', { name: 'Approve' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText(/all the access that it asks for, in the whole organization/).waitFor()
      await dialog.getByRole('radio', { name: 'One group' }).check()
      await dialog.getByRole('combobox', { name: 'Group' }).click()
      await page.getByRole('option', { name: 'Facility team' }).click()
      await dialog.getByRole('button', { name: 'Approve' }).click()
      await page.getByText('Northwind Energy approved.').waitFor()
      const app = page.getByRole('article', { name: 'Northwind Energy', exact: true })
      await app.getByText('Administrators and the group Facility team').waitFor()
      await app.getByRole('link', { name: 'energy.northwind.example' }).waitFor()
      assert.equal(await request.count(), 0)
    })

    await world.visit({ signedIn: false, ...phone }, async (page) => {
      await page.route(`${redirect_uri}?**`, (route) => route.fulfill({ body: 'arrived' }))
      await page.goto(authorizePath(clientId))
      await signIn(page, world.member.email)
      await page.getByText(/Approved by your organization on .+, as you asked\./).waitFor()
      await inspect(page, 'consent')
      await page.getByRole('button', { name: 'Connect', exact: true }).click()
      await page.waitForURL(`${redirect_uri}?code=**`)
    })
  })

  it('an administrator of many finds one by its name, is told what the click does, and narrows it to a group', async () => {
    const clientId = await registerApplication('Northwind Metering')
    await world.sql`
      insert into customers (id, partner_id, name, created_at)
      select gen_random_uuid(), ${partner.id}, 'Branch ' || n, now() from generate_series(1, 200) n`
    await world.sql`
      insert into memberships (customer_id, user_id, role, created_at)
      select id, ${world.administrator.id}, case when name like '%7' then 'member' else 'administrator' end, now()
      from customers where name like 'Branch %'`
    await world.visit({ ...phone }, async (page) => {
      await page.route(`${redirect_uri}?**`, (route) => route.fulfill({ body: 'arrived' }))
      await page.goto(authorizePath(clientId))
      await page.getByRole('radio').first().waitFor()
      assert.equal(await page.locator('input[name=customer_id]').count(), 50)
      await inspect(page, 'consent of 202')
      await page.getByRole('searchbox').fill('RANCH 17')
      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByText('2 organizations you cannot choose').waitFor()
      assert.equal(await page.getByText('Branch 177').isVisible(), false, 'folded')
      await page.getByText('2 organizations you cannot choose').click()
      await page.getByText('Branch 177').waitFor()
      await inspect(page, 'consent with a search')
      await page.getByRole('searchbox').fill('harbour')
      await page.getByRole('button', { name: 'Search' }).click()
      // The only one that is left is chosen.
      const button = page.getByRole('button', { name: 'Approve for Harbour Hotels' })
      await button.waitFor()
      await page
        .getByLabel('Who else may connect it')
        .selectOption({ label: 'Administrators and the group Facility team' })
      await page.getByRole('link', { name: 'Show all' }).click()
      await page.getByRole('button', { name: 'Connect', exact: true }).waitFor()
      await page.getByRole('radio', { name: /Branch 1 / }).check()
      await page.getByRole('button', { name: 'Approve for Branch 1', exact: true }).waitFor()
      await page.getByRole('radio', { name: /Branch 100 / }).check()
      await page.getByRole('button', { name: 'Approve for Branch 100', exact: true }).waitFor()
      await inspect(page, 'consent with a row chosen')
      await page.getByRole('searchbox').fill('harbour')
      await page.getByRole('button', { name: 'Search' }).click()
      await page
        .getByLabel('Who else may connect it')
        .selectOption({ label: 'Administrators and the group Facility team' })
      const sizes = await page.evaluate<number[]>(`
        ['.facts li', '.grave p', '.grave p:last-child', '.weighs'].map((selector) =>
          Number.parseFloat(getComputedStyle(document.querySelector(selector)).fontSize))`)
      assert.ok(Math.min(...sizes.slice(1)) > sizes[0]!, 'what weighs most is not the smallest text')
      await button.click()
      await page.waitForURL(`${redirect_uri}?code=**`)
    })
    const [approval] = await world.sql<{ name: string }[]>`
      select g.name from approvals a join groups g on g.id = a.group_id where client_id = ${clientId}`
    assert.equal(approval!.name, 'Facility team')
    await world.sql`delete from memberships where customer_id in (select id from customers where name like 'Branch %')`
  })
})

describe('the operator', () => {
  it('finds customers and people, changes memberships and creates links', async () => {
    await world.visit(phone, async (page) => {
      await page.addInitScript(`sessionStorage.setItem('landbridge.operator-key', ${JSON.stringify(operatorKey)})`)
      await page.goto('/operator/customers')
      await page.getByLabel('Search customers').fill('bour ho')
      await page.waitForURL('**?search=bour+ho')
      await page.getByRole('link', { name: 'Harbour Hotels' }).click()
      await page.getByRole('heading', { name: 'Connected apps' }).waitFor()
      await page.getByText('Northwind Insights').waitFor()
      await inspect(page, 'customer')

      const act = async (person: string, action: string) => {
        await page.getByRole('button', { name: `Actions for ${person}` }).click()
        await page.getByRole('menuitem', { name: action }).click()
      }
      await act('Ada Byron', 'Remove from customer')
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
      await page.getByText(/This is the last active administrator/).waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
      await act('Ben Okri', 'Make administrator')
      await page.getByText('Ben Okri is now an administrator.').waitFor()
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('Undone.').waitFor()

      await page.getByRole('button', { name: 'Invite user' }).click()
      await page.getByLabel('Email').fill('new@harbour.example')
      await page.getByRole('button', { name: 'Create invitation link' }).click()
      await page.getByText(/\/link\/lb/).waitFor()
      await page.getByRole('button', { name: 'I have copied it' }).click()
      await page.getByRole('heading', { name: 'Pending invitations' }).waitFor()

      await page.goto('/operator/people')
      await page.getByLabel('Search people').fill('ben@harb')
      await page.waitForURL('**?search=ben%40harb')
      await page.getByRole('link', { name: /ben@harbour\.example/ }).click()
      await page.getByRole('heading', { name: 'Ben Okri' }).waitFor()
      await page.getByText(/^In \d browsers?$/).waitFor()
      await inspect(page, 'person')
      await page.getByRole('button', { name: 'Reset password' }).click()
      await page.getByRole('button', { name: 'Create link' }).click()
      const link = await page.getByText(/\/link\/lb/).textContent()
      await page.getByRole('button', { name: 'I have copied it' }).click()
      assert.equal(await page.getByText(/\/link\/lb/).count(), 0, 'shown once')
      await page.getByText(/^Expires/).waitFor()

      await page.getByRole('button', { name: 'Add to a customer' }).click()
      await page.getByRole('combobox', { name: 'Customer' }).fill('northwind')
      await page.getByRole('option').first().click()
      await page.getByRole('button', { name: 'Create invitation link' }).click()
      await page.getByText(/\/link\/lb/).waitFor()
      await page.getByRole('button', { name: 'I have copied it' }).click()

      await page.goto(link!)
      await page.getByRole('heading', { name: 'Set a new password' }).waitFor()
    })
  })
})
