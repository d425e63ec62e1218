import type { NewMail } from '../../../events/mail/new-mail.ts'
import type { Home } from './home.ts'

interface Person {
  id: string
  email: string
}

export function forgottenPasswordMail(person: Person, { brand }: Home, link: string, until: Date): NewMail {
  return {
    ...{ to: person.email, kind: 'password_reset', user_id: person.id, brand, useful_until: until },
    subject: 'Set a new password',
    paragraphs: [
      'Somebody, probably you, asked to set a new password for the account of this email. The link works once, within an hour.',
      'If it was not you, ignore this mail: your password stays as it is.',
    ],
    action: { label: 'Set a new password', url: link },
  }
}

/** A link that an administrator or the operator created, and may hand over in another way too. */
export function resetLinkMail(person: Person, { brand }: Home, link: string, until: Date): NewMail {
  return {
    ...{ to: person.email, kind: 'password_reset', user_id: person.id, brand, useful_until: until },
    subject: 'A link to set a new password was created for you',
    paragraphs: [
      'An administrator created a link with which you can set a new password. It works once, within 24 hours. Until then your password stays as it is.',
      'If you asked nobody for it, tell an administrator of your organization: whoever has the link can get into your account.',
    ],
    action: { label: 'Set a new password', url: link },
  }
}

/** `how`: one sentence. */
export function passwordChangedMail(person: Person, home: Home, how: 'changed' | 'reset'): NewMail {
  const sentence =
    how === 'changed'
      ? 'The password of your account was changed.'
      : 'The password of your account was set anew with a link.'
  return {
    ...{ to: person.email, kind: 'password_changed', user_id: person.id, brand: home.brand },
    subject: 'Your password was changed',
    paragraphs: [
      `${sentence} Every other browser is signed out.`,
      'If that was not you, set a new password at once, and look at what your account has under “Your account”.',
    ],
    action: { label: 'Your account', url: `${home.origin}/account` },
  }
}
