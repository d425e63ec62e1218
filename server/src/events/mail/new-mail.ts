import type { MailKind } from './mail-kinds.ts'

/** A text; a code to type, shown large; or a small table, such as the browser and time of a sign-in. */
export type Paragraph = string | { code: string } | { facts: { label: string; value: string }[] }

/** What a mail says, which is sealed while it waits: its link may be worth as much as a password. */
export interface MailContent {
  paragraphs: Paragraph[]
  /** A button, and in the text its address. Never built from a request's host. */
  action?: { label: string; url: string } | undefined
  /** Whose name and colour it has; left out for those of the service. */
  brand?: { name: string; accent?: string | null | undefined } | undefined
}

export interface NewMail extends MailContent {
  to: string
  kind: MailKind
  /** Stored in clear text and shown to the operator: no secrets. */
  subject: string
  /** Whom it is about. */
  user_id?: string | undefined
  customer_id?: string | null | undefined
  /** When its code or link expires; it is not sent afterwards. Left out for a day. */
  useful_until?: Date | undefined
}

/** A name that somebody chose, on one line, and such that no mail program turns it into a link. */
export function nameInMail(name: string, length = 100): string {
  const line = oneLine(name, length)
  // A word joiner is invisible, and ends what would be an address.
  return line.replace(/[.:/@](?=\S)/g, (mark) => `${mark}\u2060`)
}

export function oneLine(text: string, length: number): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  const characters = [...line]
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join('')}…`
}
