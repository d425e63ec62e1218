import { ownLimits } from '../../platform/own-limits.ts'
import { judgePassword, type Weakness } from '../../platform/secrets/password-strength.ts'
import type { Context } from '../context.ts'

export const passwordLength = { min: 10, max: 256 } as const

/** What others know about the owner, and would try first. */
export interface PasswordOwner {
  name?: string | null | undefined
  email: string
  /** The name that the pages carry. */
  brand?: string | undefined
}

export interface ChosenPassword {
  password: string
  repeated: string
  owner: PasswordOwner
  address: string
}

export interface PasswordProblem {
  status: 422 | 429
  sentence: string
}

/** What is wrong with a password that somebody chose, in a sentence for them; null for a good one (decision 6.63). */
export async function findPasswordProblem(context: Context, chosen: ChosenPassword): Promise<PasswordProblem | null> {
  const { password, repeated, owner, address } = chosen
  const { min, max } = passwordLength
  if (password.length < min) return refused(`The password needs ${min} characters or more.`)
  if (password.length > max) return refused(`The password can have at most ${max} characters.`)
  if (password !== repeated) return refused('The two passwords are different.')
  if (!(await context.limits.take(`chosen passwords ${address}`, ownLimits.chosenPasswordsPerAddress))) {
    return { status: 429, sentence: 'Too many passwords were tried from your network. Wait a minute and try again.' }
  }
  const weakness = await judgePassword({ password, about: knownAbout(owner) })
  return weakness && refused(`${reasons[weakness]} ${advice}`)
}

function refused(sentence: string): PasswordProblem {
  return { status: 422, sentence }
}

const reasons: Record<Weakness, string> = {
  personal: 'This password is easy to guess: it contains your name, your email or the name of this service.',
  common: 'This password is easy to guess: it is, or resembles, one that many people use.',
  repeated: 'This password is easy to guess: it repeats the same characters.',
  sequence: 'This password is easy to guess: it is a sequence such as abc or 123.',
  keys: 'This password is easy to guess: its keys are next to each other.',
  date: 'This password is easy to guess: it contains a date.',
  guessable: 'This password is easy to guess.',
}

const advice =
  'Choose three or four words that do not belong together, or let your browser or password manager create one.'

const maxWords = 10
const separators = /[\s.@_+-]+/g

export function knownAbout({ name, email, brand }: PasswordOwner): string[] {
  const [local = '', domain = ''] = email.split('@')
  const texts = [name ?? '', email, local, domain, brand ?? '', 'Landbridge']
  const words = texts.flatMap((text) => [text.replaceAll(separators, ''), ...text.split(separators).slice(0, maxWords)])
  // A single letter or two are part of every other password.
  return [...new Set([...texts, ...words])].filter((text) => text.length > 2)
}
