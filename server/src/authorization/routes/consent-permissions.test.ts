// Decision 6.50: what an administrator approves of what an application asks for.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { registerApplication, type TestApplication } from '../../../../test/support/applications.ts'
import { authorizePath, readConsent, walkToCode, walkToConsent } from '../../../../test/support/consent.ts'
import { consentScene, parametersOf } from '../../../../test/support/consent-scene.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { abilities, allPermissions, nothing, ofCredential, permits } from '../../directory/permissions.ts'
import { newId } from '../../platform/secrets/identifiers.ts'

const service = await startHarness()
const { sql, clock } = service
const { addUser } = consentScene(service)

const reads = {
  devices: { level: 'read', reason: 'Shows which rooms are free.' },
  spaces: { level: 'manage', reason: 'Keeps your rooms in step.' },
}
const readsLevels = { devices: 'read', spaces: 'manage', people: 'none', audit: 'none' }

async function ask({ client_id }: TestApplication, requested_permissions: object | null): Promise<void> {
  const changed = await service.operator('PATCH', `/applications/${client_id}`, { requested_permissions })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
}

async function newApplication(requested: object | null): Promise<TestApplication> {
  const application = await registerApplication(service)
  await ask(application, requested)
  return application
}

async function newSpace({ customer_id }: TestApplication, name: string, parent_id: string | null = null) {
  const id = newId()
  await sql`insert into spaces ${sql({ id, customer_id, parent_id, name, created_at: clock.now() })}`
  return id
}

async function stored({ client_id, customer_id }: TestApplication) {
  const [row] = await sql`
    select permissions, within, requested from approvals where client_id = ${client_id} and customer_id = ${customer_id}`
  return row as { permissions: object | null; within: string[] | null; requested: object | null } | undefined
}

/** The screen, and all that its form would send. */
async function screen(application: TestApplication, walk = {}) {
  const { browser, page } = await walkToConsent(service, application, walk)
  const { request } = readConsent(page)
  const id = application.customer_id
  const selects = [...page.body.matchAll(/<select name="(\w+?_[0-9a-f-]+)">(.*?)<\/select>/gs)].map(
    ([, name, options]) => {
      const chosen = /<option value="([^"]+)" selected>/.exec(options!) ?? /<option value="([^"]+)"/.exec(options!)
      return [name!, chosen![1]!]
    },
  )
  const hidden = [...page.body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)]
  const fields: Record<string, string> = {
    ...Object.fromEntries(selects),
    request,
    ...Object.fromEntries(hidden.map(([, name, value]) => [name!, value!])),
    customer_id: id,
    decision: 'approve',
  }
  return { browser, page, fields, id, text: page.body.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ') }
}

describe('decision 6.50: the consent screen says what an application asks for', () => {
  it('where it does not say: each step that every token gets, and what it does not get', async () => {
    const { text } = await screen(await newApplication(null))
    const [given, withheld] = text.split('Not included: ') as [string, string]
    for (const permission of allPermissions) {
      const [said, not] = permits(ofCredential, permission) ? [given, withheld] : [withheld, given]
      assert.ok(said.toLowerCase().includes(abilities[permission].toLowerCase()), `${permission}: ${text}`)
      assert.ok(!not.toLowerCase().includes(abilities[permission].toLowerCase()), `${permission}: ${text}`)
    }
    assert.doesNotMatch(text, /everything an administrator/)
  })

  it('every permission by itself: all steps up to it in its area, and no other', async () => {
    const application = await newApplication(null)
    for (const permission of allPermissions.filter((each) => !each.startsWith('integrations'))) {
      const [area, level] = permission.split(': ') as ['devices', string]
      await ask(application, { [area]: { level, reason: 'Because.' } })
      const { page } = await screen(application)
      const asked = page.body
        .slice(page.body.indexOf('class="asked"'), page.body.indexOf('Access continues'))
        .toLowerCase()
      const held = { ...nothing, [area]: level } as typeof ofCredential
      for (const step of allPermissions)
        assert.equal(
          asked.includes(abilities[step].toLowerCase()),
          permits(held, step),
          `${permission}, ${step}: ${asked}`,
        )
    }
  })

  it('each with its reason, escaped', async () => {
    const application = await newApplication({ ...reads, audit: { level: 'read', reason: 'For <b>you</b>.' } })
    const { page, text } = await screen(application)
    assert.match(
      text,
      /It will be able to: See devices, their state, history and live values, and the models that can be claimed Shows which rooms are free\./,
    )
    assert.match(text, /See the tree of spaces; create, rename, move and delete spaces Keeps your rooms in step\./)
    assert.ok(page.body.includes('For &#60;b&#62;you&#60;/b&#62;.'))
    assert.doesNotMatch(text, /everything an administrator/)
    assert.doesNotMatch(text, /invite, change/)
  })

  it('nothing but who signs in: an approval of nothing', async () => {
    const application = await newApplication({})
    const { browser, fields, text } = await screen(application)
    assert.match(text, /nothing else/)
    assert.ok(parametersOf(await browser.post('/consent', fields)).code)
    const none = { devices: 'none', spaces: 'none', people: 'none', audit: 'none' }
    assert.deepEqual(await stored(application), { permissions: none, within: null, requested: none })
  })
})

describe('decision 6.50: an administrator approves what is asked for, or less', () => {
  it('a form without the fields approves what was asked for: everything, or the levels', async () => {
    const all = await newApplication(null)
    await walkToCode(service, all)
    assert.deepEqual(await stored(all), { permissions: null, within: null, requested: null })
    const some = await newApplication(reads)
    await walkToCode(service, some)
    assert.deepEqual(await stored(some), { permissions: readsLevels, within: null, requested: readsLevels })
  })

  it('the form as it is shown: the same; of everything, everything', async () => {
    for (const [requested, permissions] of [
      [null, null],
      [reads, readsLevels],
    ] as const) {
      const application = await newApplication(requested)
      const { browser, fields } = await screen(application)
      assert.ok(parametersOf(await browser.post('/consent', fields)).code)
      assert.deepEqual((await stored(application))!.permissions, permissions)
    }
  })

  it('less, and only in some spaces; audited, and a second click changes nothing', async () => {
    const application = await newApplication(reads)
    const berlin = await newSpace(application, 'Berlin')
    const floor = await newSpace(application, 'Floor 1', berlin)
    await newSpace(application, 'Room', floor)
    const { browser, fields, page, id } = await screen(application)
    const offered = [...page.body.matchAll(/name="space_id_[^"]+" value="([^"]+)"/g)].map(([, space]) => space)
    assert.deepEqual(offered, [berlin, floor])
    const sent = { ...fields, [`spaces_${id}`]: 'none', [`where_${id}`]: 'spaces', [`space_id_${id}`]: floor }
    assert.ok(parametersOf(await browser.post('/consent', sent)).code)
    const expected = { permissions: { ...readsLevels, spaces: 'none' }, within: [floor], requested: readsLevels }
    assert.deepEqual(await stored(application), expected)
    assert.ok(parametersOf(await browser.post('/consent', sent)).code)
    assert.deepEqual(await stored(application), expected)
    const [event, ...others] = await sql`
      select details from audit_events where type like 'approval.%' and application_id = ${application.client_id}`
    assert.deepEqual([event!.details.permissions, event!.details.within], [['devices: read'], [floor]])
    assert.deepEqual(others, [])
  })

  it('forged: more than is asked for, an unknown level, a space of another organization, repeated, none → 422, nothing stored', async () => {
    const application = await newApplication(reads)
    const own = await newSpace(application, 'Berlin')
    const foreign = await newSpace(await registerApplication(service), 'Oslo')
    const { browser, fields, id } = await screen(application)
    const inSpaces = { ...fields, [`where_${id}`]: 'spaces' }
    const forged: Record<string, string>[] = [
      { ...fields, [`devices_${id}`]: 'manage' },
      { ...fields, [`people_${id}`]: 'read' },
      { ...fields, [`devices_${id}`]: 'own' },
      { ...inSpaces, [`space_id_${id}`]: foreign },
      { ...inSpaces, [`space_id_${id}`]: newId() },
      { ...inSpaces, [`space_id_${id}`]: '\0' },
      inSpaces,
      { ...fields, [`where_${id}`]: 'nowhere' },
      { ...fields, [`where_${id}`]: 'everywhere', [`space_id_${id}`]: own },
    ]
    for (const form of forged) {
      const visit = await browser.post('/consent', form)
      assert.equal(visit.status, 422, JSON.stringify(form))
      assert.match(visit.body, /role="alert"/)
    }
    for (const length of [101, 1_000]) {
      const many = Array.from({ length }, () => [`space_id_${id}`, newId()] as [string, string])
      const form = new URLSearchParams([...Object.entries(inSpaces), ...many])
      const tooMany = await browser.post('/consent', form as never)
      assert.equal(tooMany.status, 422, `${length}: ${tooMany.body}`)
      assert.match(tooMany.body, /at most 100 spaces/)
    }
    assert.equal(await stored(application), undefined)
    const kept = await browser.post('/consent', { ...inSpaces, [`devices_${id}`]: 'none', [`space_id_${id}`]: foreign })
    assert.match(kept.body, /<details class="narrow" open>/)
    assert.match(kept.body, /<option value="none" selected>No access/)
  })

  it('the application asks for something else since the screen was shown → 409, decided again', async () => {
    const application = await newApplication(reads)
    const { browser, fields } = await screen(application)
    await ask(application, null)
    const visit = await browser.post('/consent', fields)
    assert.equal(visit.status, 409)
    assert.match(visit.body, /asks for something else now/)
    assert.equal(await stored(application), undefined)
  })
})

describe('decision 6.50: an approval that exists', () => {
  it('is shown, and is left as it is by whoever connects: an administrator, a member, prompt=none', async () => {
    const application = await newApplication(reads)
    const floor = await newSpace(application, 'Berlin <i>')
    const first = await screen(application)
    const less = { [`spaces_${first.id}`]: 'none', [`where_${first.id}`]: 'spaces', [`space_id_${first.id}`]: floor }
    await first.browser.post('/consent', { ...first.fields, ...less })
    const before = await stored(application)
    const again = await screen(application)
    assert.match(
      again.text,
      /Approved: see devices, their state, history and live values, and the models that can be claimed, only in Berlin &#60;i&#62;\./,
    )
    assert.doesNotMatch(again.page.body, /<select/)
    const forged = { ...again.fields, [`spaces_${first.id}`]: 'manage', [`where_${first.id}`]: 'everywhere' }
    assert.equal((await again.browser.post('/consent', forged)).status, 409)
    assert.ok(parametersOf(await again.browser.post('/consent', again.fields)).code)
    assert.deepEqual(await stored(application), before)

    await ask(application, { ...reads, audit: { level: 'read', reason: 'Reports.' } })
    const member = await addUser(application.customer_id, `may-${newId()}`, 'member')
    const theirs = await screen(application, member)
    assert.match(theirs.text, /only in some spaces/)
    assert.doesNotMatch(theirs.text, /Berlin|New:/)
    const sent = { ...theirs.fields, [`audit_${first.id}`]: 'read', [`where_${first.id}`]: 'everywhere' }
    assert.ok(parametersOf(await theirs.browser.post('/consent', sent)).code)
    assert.deepEqual(await stored(application), before)

    const silently = authorizePath(application, { prompt: 'none' })
    const silent = await again.browser.follow(`http://landbridge.test${silently}`)
    assert.ok(new URL(silent.location!).searchParams.get('code'), silent.location ?? silent.body)
    assert.deepEqual(await stored(application), before)
  })

  it('limited to spaces of which some, then all were deleted: the screen says so, to a member without a name', async () => {
    const application = await newApplication(reads)
    const ids = await Promise.all(
      ['Oslo', 'Bergen', 'Tromsø', 'Bodø', 'Voss'].map((name) => newSpace(application, name)),
    )
    const member = await addUser(application.customer_id, `mia-${newId()}`, 'member')
    await walkToCode(service, application)
    await sql`update approvals set within = ${ids}::uuid[] where client_id = ${application.client_id}`
    const saying = async () => [(await screen(application)).text, (await screen(application, member)).text] as const
    assert.match((await saying())[0], /only in Oslo, Bergen, Tromsø and 2 more\./)
    await sql`delete from spaces where id = any(${[ids[0]!, ids[4]!]}::uuid[])`
    const some = await saying()
    assert.match(some[0], /only in Bergen, Tromsø, Bodø; 2 deleted spaces cover nothing\./)
    assert.match(some[1], /only in some spaces\./)
    await sql`delete from spaces where id = any(${ids}::uuid[])`
    for (const text of await saying()) assert.match(text, /but nowhere: its spaces were deleted\./)
  })

  it('asks for more now: the difference is shown, and the new choice is stored; for a form without fields nothing changes', async () => {
    const application = await newApplication(reads)
    const first = await screen(application)
    const { id } = first
    await first.browser.post('/consent', { ...first.fields, [`spaces_${id}`]: 'read' })
    const before = await stored(application)
    await ask(application, { ...reads, audit: { level: 'read', reason: 'Reports.' } })
    await walkToCode(service, application)
    assert.deepEqual(await stored(application), before)
    const next = await screen(application)
    assert.match(next.text, /New: see the audit log/)
    assert.match(next.page.body, /Approve for /)
    assert.deepEqual([next.fields[`spaces_${id}`], next.fields[`audit_${id}`]], ['read', 'read'])
    const forged = await next.browser.post('/consent', { ...next.fields, [`people_${id}`]: 'read' })
    assert.equal(forged.status, 422)
    assert.ok(parametersOf(await next.browser.post('/consent', next.fields)).code)
    const levels = { ...readsLevels, spaces: 'read', audit: 'read' }
    assert.deepEqual(await stored(application), {
      permissions: levels,
      within: null,
      requested: { ...readsLevels, audit: 'read' },
    })
    const [event] = await sql`
      select details from audit_events where type = 'approval.permissions_changed' and application_id = ${application.client_id}`
    assert.deepEqual(event!.details.previous_permissions, ['devices: read', 'spaces: read'])
    assert.deepEqual(event!.details.permissions, ['devices: read', 'spaces: read', 'audit: read'])
    assert.doesNotMatch((await screen(application)).text, /New:/)
  })

  it('asks for less, or for what was declined before: nothing to decide', async () => {
    const application = await newApplication(reads)
    const first = await screen(application)
    await first.browser.post('/consent', { ...first.fields, [`spaces_${first.id}`]: 'none' })
    assert.doesNotMatch((await screen(application)).text, /New:/)
    await ask(application, { devices: reads.devices })
    assert.doesNotMatch((await screen(application)).text, /New:/)
  })

  it('approved before there were permissions: everything, also where the application asks for less now; commands are new', async () => {
    const application = await newApplication(null)
    await walkToCode(service, application)
    await ask(application, reads)
    const { text } = await screen(application)
    assert.doesNotMatch(text, /New:/)
    assert.match(text, /Approved: see devices, .*; claim, rename/)
    await ask(application, { devices: { level: 'command', reason: 'Opens blinds.' } })
    assert.match(
      (await screen(application)).text,
      /New: see devices, .*; send commands to devices, and set their settings\./,
    )
  })

  it('withdrawn between showing and submitting: the click that connects does not approve anew', async () => {
    const application = await newApplication(reads)
    await walkToCode(service, application)
    const { browser, fields } = await screen(application)
    await sql`delete from approvals where client_id = ${application.client_id}`
    const visit = await browser.post('/consent', fields)
    assert.equal(visit.status, 409)
    assert.match(visit.body, /withdrawn meanwhile/)
    assert.equal(await stored(application), undefined)
  })

  it('two administrators at once: one approval, and who comes second with another choice looks again', async () => {
    const application = await newApplication(reads)
    const other = await addUser(application.customer_id, `eve-${newId()}`, 'administrator')
    const [one, two] = [await screen(application), await screen(application, other)]
    const less = { ...two.fields, [`spaces_${two.id}`]: 'none' }
    const visits = await Promise.all([one.browser.post('/consent', one.fields), two.browser.post('/consent', less)])
    assert.deepEqual(visits.map(({ status }) => status).toSorted(), [303, 409])
  })

  it('two administrators approve more at once: neither waits for the other, and both connect', async () => {
    const application = await newApplication({ devices: reads.devices })
    await walkToCode(service, application)
    await ask(application, reads)
    const other = await addUser(application.customer_id, `eve-${newId()}`, 'administrator')
    const [one, two] = [await screen(application), await screen(application, other)]
    const visits = await Promise.all([one, two].map(({ browser, fields }) => browser.post('/consent', fields)))
    assert.deepEqual(
      visits.map(({ status }) => status),
      [303, 303],
    )
    assert.deepEqual((await stored(application))!.permissions, readsLevels)
  })
})
