import { type NewMail, nameInMail } from '../../../events/mail/new-mail.ts'
import type { OrganizationHome } from './home.ts'

interface Invitation {
  email: string
  role: 'administrator' | 'member' | null
  customer_id: string | null
  expires_at: Date
  /** Who invited; null for the operator. */
  inviter: string | null
}

/** `name`: of the organization. */
export function invitationMail(
  { email, role, customer_id, expires_at, inviter }: Invitation,
  { name, brand }: OrganizationHome,
  link: string,
): NewMail {
  const organization = nameInMail(name)
  const as = role === null ? '' : role === 'administrator' ? ' as an administrator' : ' as a member'
  const who = inviter === null ? 'You are invited' : `${nameInMail(inviter)} invites you`
  return {
    ...{ to: email, kind: 'invitation', customer_id, brand, useful_until: expires_at },
    subject: `You are invited to join ${organization}`,
    paragraphs: [
      `${who} to join ${organization}${as}. The link works once, within seven days.`,
      'If you do not know why you get this, ignore it: nobody joins without opening the link.',
    ],
    action: { label: 'Join', url: link },
  }
}

interface Person {
  id: string
  email: string
}

/** `created`: by the person, with an invitation; otherwise by the operator, who hands over the password. */
export function welcomeMail(
  person: Person,
  { name, origin, brand }: OrganizationHome,
  created: 'by themselves' | 'by the operator',
): NewMail {
  const organization = nameInMail(name)
  const first =
    created === 'by themselves'
      ? `You have an account now, and belong to ${organization}.`
      : `An account was created for you at ${organization}. You get its password in another way, or set one with “Forgot your password?” on the page.`
  return {
    ...{ to: person.email, kind: 'welcome', user_id: person.id, brand },
    subject: `Welcome to ${organization}`,
    paragraphs: [first, `Sign in with ${person.email}. Under “Your account” you verify this email and add a passkey.`],
    action: { label: 'Open the portal', url: `${origin}/` },
  }
}
