import type { NewMail } from '../../../events/mail/new-mail.ts'
import { lifetimes } from '../../../platform/own-limits.ts'
import type { Home } from './home.ts'

interface Code {
  to: string
  code: string
  until: Date
  brand: Home['brand']
  /** Of the account; none where an invitation is accepted. */
  user_id?: string
}

/** No link: what follows a link, such as a scanner, must not be able to use it. */
export function emailCodeMail({ to, code, until, brand, user_id }: Code): NewMail {
  return {
    ...{ to, kind: 'email_code', brand, user_id, useful_until: until },
    subject: 'Your code to confirm this email',
    paragraphs: [
      'Enter this code on the page where you asked for it:',
      { code: `${code.slice(0, 4)} ${code.slice(4)}` },
      `It works for ${lifetimes.emailCodeMilliseconds / 60_000} minutes, once, and only in that browser. Nobody of us will ever ask you for it.`,
      'If you did not ask for it, ignore this mail: nothing changes without the code.',
    ],
  }
}

interface Change {
  user_id: string
  before: string
  after: string
  home: Home
}

/** To the address of before, whose owner may know nothing of it, and to the new one. */
export function emailChangedMails({ user_id, before, after, home }: Change): NewMail[] {
  const about = { kind: 'email_changed', user_id, brand: home.brand } as const
  const account = { label: 'Your account', url: `${home.origin}/account` }
  return [
    {
      ...about,
      to: before,
      subject: 'The email of your account was changed',
      paragraphs: [
        `Your account now has the email ${after}. From now on, sign in with that one; no further mails come to this address.`,
        'If that was not you, somebody has access to your account: ask an administrator of your organization, or whoever runs this service, for help at once.',
      ],
    },
    {
      ...about,
      to: after,
      subject: 'This is now the email of your account',
      paragraphs: [`It was ${before} before. Other browsers are signed out.`],
      action: account,
    },
  ]
}
