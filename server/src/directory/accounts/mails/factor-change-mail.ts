import type { NewMail } from '../../../events/mail/new-mail.ts'
import { nameInMail } from '../../../events/mail/new-mail.ts'
import type { Home } from './home.ts'

export type AddedFactor = { change: 'user.passkey_added'; name: string } | { change: 'user.totp_enabled' }
export type RemovedFactor = { change: 'user.passkey_removed'; name: string } | { change: 'user.totp_removed' }
export type FactorChange = AddedFactor | RemovedFactor | { change: 'user.recovery_codes_created' }
export type FactorNews = FactorChange | { change: 'recovery_code_used'; left: number }

export function factorChangeMail(person: { id: string; email: string }, home: Home, change: FactorNews): NewMail {
  const { subject, sentence } = wording(change)
  return {
    ...{ to: person.email, kind: 'factor_changed', user_id: person.id, brand: home.brand },
    subject,
    paragraphs: [
      sentence,
      'If that was not you, set a new password at once, and look at what your account has under “Your account”.',
    ],
    action: { label: 'Your account', url: `${home.origin}/account` },
  }
}

function wording(change: FactorNews): { subject: string; sentence: string } {
  switch (change.change) {
    case 'user.passkey_added':
      return {
        subject: 'A passkey was added',
        sentence: `The passkey “${nameInMail(change.name)}” was added to your account.`,
      }
    case 'user.passkey_removed':
      return {
        subject: 'A passkey was removed',
        sentence: `The passkey “${nameInMail(change.name)}” was removed from your account.`,
      }
    case 'user.totp_enabled':
      return { subject: 'An authenticator app was added', sentence: 'An authenticator app was added to your account.' }
    case 'user.totp_removed':
      return {
        subject: 'The authenticator app was removed',
        sentence: 'The authenticator app was removed from your account.',
      }
    case 'user.recovery_codes_created':
      return {
        subject: 'New recovery codes were created',
        sentence: 'New recovery codes were created; earlier ones are no longer valid.',
      }
    case 'recovery_code_used':
      return {
        subject: 'A recovery code was used',
        sentence: `A recovery code of your account was used; ${change.left} are left.`,
      }
  }
}
