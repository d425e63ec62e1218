/** Each with whether a person is waiting for it, so that it overtakes those that are not. */
const kinds = {
  invitation: false,
  welcome: false,
  password_reset: true,
  password_changed: true,
  email_code: true,
  email_changed: true,
  new_sign_in: false,
  factor_changed: true,
  factor_reset: true,
  api_key_expiring: false,
  approval_requested: false,
  approval_decided: false,
  application_requested: false,
  application_decided: false,
  test: true,
}

export type MailKind = keyof typeof kinds

export const mailKinds = Object.keys(kinds) as MailKind[]

export function isUrgent(kind: MailKind): boolean {
  return kinds[kind]
}
