export type SignInVerdict =
  /** For `Set-Cookie`: the session, and the mark of a known browser. */
  | { verdict: 'signed_in'; user_id: string; cookies: string[] }
  /** For `Set-Cookie`: that the password was right, for ten minutes. There is no session yet. */
  | { verdict: 'second_factor'; cookies: string[] }
  | { verdict: 'wrong' }
  | { verdict: 'too_many' }
