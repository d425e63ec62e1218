import { type NewMail, nameInMail } from '../../../events/mail/new-mail.ts'
import type { Home } from './home.ts'

interface Person {
  id: string
  email: string
  name: string
}

export type ResetNews = 'requested' | 'cancelled' | 'applied'

/** To the person whose factors are reset. */
export function resetMailToPerson(person: Person, { brand, origin }: Home, news: ResetNews): NewMail {
  const paragraphs = {
    requested: [
      'An administrator asked to remove the second factors of your account, because you lost them. You were signed out everywhere.',
      'It happens in 24 hours, or earlier if a second administrator confirms it. Then your password alone signs you in, until you set up a new second factor.',
      'If you did not ask for it, sign in with your second factor now: that cancels the reset.',
    ],
    cancelled: ['The reset of the second factors of your account was cancelled. They stay as they are.'],
    applied: [
      'The second factors of your account were removed. Sign in with your password, and set up a new one under “Your account”.',
      'If you did not ask for it, tell an administrator of your organization at once.',
    ],
  }
  return {
    ...{ to: person.email, kind: 'factor_reset', user_id: person.id, brand },
    subject: subjects[news],
    paragraphs: paragraphs[news],
    action: { label: 'Sign in', url: `${origin}/sign-in` },
  }
}

/** To the other administrators: one of them can confirm it, any of them cancel it. */
export function resetMailToAdministrator(to: string, person: Person, home: Home, news: ResetNews): NewMail {
  const name = nameInMail(person.name)
  const paragraphs = {
    requested: [
      `An administrator of your organization asked to remove the second factors of ${name}, who lost them.`,
      'It happens in 24 hours. A second administrator can confirm it earlier, and any administrator can cancel it, under Users.',
    ],
    cancelled: [`The reset of the second factors of ${name} was cancelled.`],
    applied: [`The second factors of ${name} were removed.`],
  }
  return {
    ...{ to, kind: 'factor_reset', user_id: person.id, brand: home.brand },
    subject: subjects[news],
    paragraphs: paragraphs[news],
    action: { label: 'Users', url: `${home.origin}/customer/users` },
  }
}

const subjects = {
  requested: 'A reset of second factors was requested',
  cancelled: 'A reset of second factors was cancelled',
  applied: 'Second factors were removed',
}
