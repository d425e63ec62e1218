import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from './context.ts'
import { replaceDeclaredCommands } from './devices/commands/declared-commands.ts'
import { replaceDictionary } from './devices/registry/dictionary.ts'
import { authenticationMethod, createModel } from './devices/registry/models.ts'
import { createApplication } from './directory/partners/applications.ts'
import { changePartner, createPartner, getPartner, listPartners } from './directory/partners/partners.ts'
import type { Actor } from './events/audit.ts'
import { labCommands, labDataPoints } from './lab-model.ts'
import { joinTransaction, transaction } from './platform/database/database.ts'
import { createDataFolder } from './platform/process/data-folder.ts'

/** A partner, an application and a model to try everything with, as stored in `lab.json`. */
export interface Lab {
  partner_id: string
  portal_domain: string
  customer_id: string
  email: string
  password: string
  client_id: string
  client_secret: string
  redirect_uri: string
  model_id: string
  hardware_key: string
}

/** Any constant: of two processes that find the database empty, one creates the lab. */
const labLock = 7_415_002
const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])
const system: Actor = { kind: 'system' }

/** Creates the lab in an empty database; `created` is true if this call did. Null when there is no lab. */
export async function openLab(context: Context): Promise<{ lab: Lab; created: boolean } | null> {
  const created = await transaction(context.sql, async (tx) => {
    await tx`select pg_advisory_xact_lock(${labLock})`
    const { items } = await listPartners({ ...context, sql: joinTransaction(tx) }, { limit: 1 })
    if (items.length > 0) return null
    // One transaction, and the file is written before its commit: there is never half a lab, nor one whose secrets are lost.
    const lab = await createLab({ ...context, sql: joinTransaction(tx) })
    await save(context, lab)
    return lab
  })
  if (created) return { lab: created, created: true }
  const stored = await readFile(fileOf(context), 'utf8').catch(() => null)
  return stored === null ? null : { lab: await followAddress(context, JSON.parse(stored)), created: false }
}

/** The lab as it was stored, without the password: a person signs in with it, a page need not know it. */
export async function readLab(context: Context): Promise<Omit<Lab, 'password'> | null> {
  // A service with an address for others may stand behind a proxy, which makes everybody look like this machine.
  if (!loopbackNames.has(new URL(context.addresses.publicUrl).hostname)) return null
  const stored = await readFile(fileOf(context), 'utf8').catch(() => null)
  if (stored === null) return null
  const { password: _, ...lab } = JSON.parse(stored) as Lab
  return lab
}

async function createLab(context: Context): Promise<Lab> {
  const email = 'lab@example.com'
  const password = randomBytes(12).toString('base64url')
  const portal_domain = new URL(context.addresses.publicUrl).host
  const redirect_uri = 'http://localhost:3000/callback'
  const admin = { name: 'Lab Administrator', email, password }
  const partner = await createPartner(context, system, { name: 'Lab', portal_domain, admin })
  const application = await createApplication(context, system, partner.id, {
    name: 'Lab Application',
    redirect_uris: [redirect_uri],
  })
  const model = await createModel(context, system, partner.id, {
    name: 'Lab Sensor',
    authentication_method: authenticationMethod,
  })
  const of = { partner_id: partner.id, model_id: model.id }
  await replaceDeclaredCommands(context, system, of, { commands: labCommands })
  await replaceDictionary(context, system, partner.id, model.id, { data_points: labDataPoints })
  const { client_id, client_secret } = application
  return {
    ...{ partner_id: partner.id, portal_domain, customer_id: partner.lab.customer_id, email, password },
    ...{ client_id, client_secret, redirect_uri, model_id: model.id, hardware_key: model.hardware_key },
  }
}

/** Without a configured public address the address depends on the port: when that changes, so does the lab's portal domain. */
async function followAddress(context: Context, lab: Lab): Promise<Lab> {
  const { host } = new URL(context.addresses.publicUrl)
  if (context.config.publicUrl || host === lab.portal_domain) return lab
  const partner = await getPartner(context, lab.partner_id).catch(() => null)
  if (partner?.portal_domain !== lab.portal_domain) return lab
  await changePartner(context, system, lab.partner_id, { portal_domain: host })
  const changed = { ...lab, portal_domain: host }
  await save(context, changed)
  return changed
}

async function save(context: Context, lab: Lab): Promise<void> {
  await createDataFolder(context.config.dataDir)
  const draft = `${fileOf(context)}.${process.pid}`
  await writeFile(draft, `${JSON.stringify(lab, null, 2)}\n`, { mode: 0o600, flush: true })
  await rename(draft, fileOf(context))
}

function fileOf(context: Context): string {
  return join(context.config.dataDir, 'lab.json')
}
