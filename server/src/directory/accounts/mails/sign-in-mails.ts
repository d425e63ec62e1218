import type { NewMail } from '../../../events/mail/new-mail.ts'
import type { Home } from './home.ts'

interface Person {
  id: string
  email: string
}

export function newBrowserMail(
  person: Person,
  home: Home,
  { browser, address, at }: { browser: string; address: string; at: Date },
): NewMail {
  return {
    ...{ to: person.email, kind: 'new_sign_in', user_id: person.id, brand: home.brand },
    subject: 'New sign-in to your account',
    paragraphs: [
      'Somebody signed in to your account with a browser that was not used for it before.',
      {
        facts: [
          { label: 'Browser', value: browser },
          { label: 'Address', value: address },
          { label: 'Time', value: `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC` },
        ],
      },
      'If that was you, there is nothing to do. If it was not, change your password at once, and end the sessions you do not know under “Your account”.',
    ],
    action: { label: 'Your account', url: `${home.origin}/account` },
  }
}
