import { type NewMail, nameInMail } from '../../../events/mail/new-mail.ts'
import type { OrganizationHome } from './home.ts'

interface Recipient {
  id: string
  email: string
}

/** Kinds that a person can switch off: none of them is about the security of the account. */
export const optionalMails = {
  api_keys: 'API keys that are about to expire',
  applications: 'Applications that were approved, or that members ask for',
} as const

export type OptionalMails = keyof typeof optionalMails

/** In place of List-Unsubscribe, which needs an address that works without a sign-in. */
function switchOff(kind: OptionalMails, origin: string): string {
  const about = kind === 'api_keys' ? 'about API keys' : 'about applications'
  return `You get this because you administer the organization. Switch off mails ${about} at ${origin}/account#mails`
}

export interface ExpiringKey {
  name: string
  hint: string
  expires_at: Date
  customer_id: string | null
}

export function apiKeyExpiringMail(
  to: Recipient,
  key: ExpiringKey,
  { name, origin, brand }: OrganizationHome,
): NewMail {
  const day = key.expires_at.toISOString().slice(0, 10)
  return {
    ...{ to: to.email, user_id: to.id, kind: 'api_key_expiring', customer_id: key.customer_id, brand },
    subject: `An API key of ${nameInMail(name)} expires on ${day}`,
    paragraphs: [
      `The API key “${nameInMail(key.name)}” (${key.hint}…) of ${nameInMail(name)} stops working on ${day}. Rotate it in the portal: the new key and the old one then work side by side for a day.`,
      switchOff('api_keys', origin),
    ],
    action: { label: 'API keys', url: `${origin}/` },
  }
}

interface Application {
  application: string
  customer_id: string
  /** Who asks, or approved. */
  person: string
}

export function approvalRequestedMail(to: Recipient, about: Application, organization: OrganizationHome): NewMail {
  const { name, origin, brand } = organization
  const application = nameInMail(about.application)
  return {
    ...{ to: to.email, user_id: to.id, kind: 'approval_requested', customer_id: about.customer_id, brand },
    subject: `${application} waits for approval at ${nameInMail(name)}`,
    paragraphs: [
      `${nameInMail(about.person)} would like to use ${application} with ${nameInMail(name)}. An administrator decides what it may do, or declines.`,
      switchOff('applications', origin),
    ],
    action: { label: 'Look at the request', url: `${origin}/` },
  }
}

export function approvalGivenMail(to: Recipient, about: Application, organization: OrganizationHome): NewMail {
  const { name, origin, brand } = organization
  const application = nameInMail(about.application)
  return {
    ...{ to: to.email, user_id: to.id, kind: 'approval_decided', customer_id: about.customer_id, brand },
    subject: `${application} was approved for ${nameInMail(name)}`,
    paragraphs: [
      `${nameInMail(about.person)} approved ${application} for ${nameInMail(name)}. Under connected apps you see what it may do, and can withdraw it.`,
      switchOff('applications', origin),
    ],
    action: { label: 'Connected apps', url: `${origin}/` },
  }
}

export interface WishedApplication {
  name: string
  /** Null: it waits for the operator. */
  decision: { approved: true } | { approved: false; reason: string } | null
}

/** To the members of the partner. What the operator wrote is quoted, and is no link. */
export function applicationRequestMail(to: Recipient, wish: WishedApplication, partner: OrganizationHome): NewMail {
  const { name, origin, brand } = partner
  const { decision } = wish
  const application = nameInMail(wish.name)
  const [what, sentences] = !decision
    ? [
        'was asked for',
        [`${nameInMail(name)} asked for the application ${application}. The operator decides about it.`],
      ]
    : decision.approved
      ? ['was approved', [`The operator approved the application ${application} of ${nameInMail(name)}.`]]
      : [
          'was refused',
          [
            `The operator refused the application ${application} of ${nameInMail(name)}. You can change it and ask again.`,
            `The reason: ${nameInMail(decision.reason, 500)}`,
          ],
        ]
  return {
    ...{ to: to.email, user_id: to.id, kind: decision ? 'application_decided' : 'application_requested', brand },
    subject: `${application} ${what}`,
    paragraphs: [...sentences, switchOff('applications', origin)],
    action: { label: 'Applications', url: `${origin}/` },
  }
}
