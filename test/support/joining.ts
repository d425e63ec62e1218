import { acceptInvitationAs } from '../../server/src/directory/accounts/links.ts'
import type { Harness } from './harness.ts'

/** A person who has an account joins another customer: the operator adds them, and they accept the invitation. */
export async function joinAlso(
  service: Harness,
  customerId: string,
  email: string,
  role: 'administrator' | 'member',
): Promise<void> {
  const body = { name: 'Ignored', email, password: 'never to be used', role }
  const added = await service.operator('POST', `/customers/${customerId}/users`, body)
  await acceptLatest(service, added.body.id, email)
}

/** The owner of the account accepts an invitation for which the operator created the link. */
export async function acceptLatest(service: Harness, invitationId: string, email: string): Promise<void> {
  const created = await service.operator('POST', `/invitations/${invitationId}/link`)
  const secret = String(created.body.link).split('/').at(-1)!
  const [user] = await service.sql<{ id: string }[]>`select id from users where lower(email) = lower(${email})`
  const { verdict } = await acceptInvitationAs(service.context, secret, { id: user!.id, email })
  if (verdict !== 'accepted') throw new Error(`${email}: ${verdict}`)
}
