import { replaceDeclaredCommands } from '../../server/src/devices/commands/declared-commands.ts'
import type { DeclaredCommand } from '../../server/src/devices/store/declared-commands-sql.ts'
import { newMac, newModel, register } from './devices.ts'
import { type Harness, startHarness } from './harness.ts'
import { createOrganization, type TestOrganization } from './organization.ts'

export const declared: DeclaredCommand[] = [
  { name: 'reboot', label: 'Restart', confirm: true },
  {
    name: 'unlock',
    parameters: [
      { key: 'pin', type: 'text', secret: true, required: true, max_length: 8 },
      { key: 'seconds', type: 'number', min: 1, max: 60 },
      { key: 'mode', type: 'text', values: ['once', 'always'] },
      { key: 'silent', type: 'boolean' },
    ],
    expires_after: 60,
    timeout: 30,
  },
  { name: 'identify', requires_online: true },
  { name: 'note', parameters: [{ key: 'text', type: 'text' }] },
]

export interface ClaimedDevice {
  id: string
  access_key: string
  mac: string
  sn: string
}

/** A service with a model that declares commands, and two organizations. */
export async function startCommandScene(environment: Record<string, string> = {}, beside?: Harness) {
  const service = await startHarness(environment, beside ? { beside } : {})
  const model = await newModel(service, 'Door')
  const target = { partner_id: model.partner_id, model_id: model.id }
  await replaceDeclaredCommands(service.context, { kind: 'operator' }, target, { commands: declared })
  const [organization, other] = [await createOrganization(service), await createOrganization(service)]
  const claimed = async (more: object = {}, owner: TestOrganization = organization, of = model) => {
    const identity = { mac: newMac(), sn: `SN-${newMac()}` }
    const device = await register(service, of, identity)
    const claim = { ...identity, model_id: of.id, ...more }
    const { status, body } = await owner.call('session', 'POST', '/devices/claim', claim)
    if (status !== 201) throw new Error(JSON.stringify(body))
    return { ...device, ...identity } satisfies ClaimedDevice
  }
  return { ...service, service, model, organization, other, claimed }
}
