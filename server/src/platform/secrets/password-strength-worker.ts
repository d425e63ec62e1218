// Judges passwords off the main thread: a long one can take a third of a second, and the dictionaries 25 MB.
import { parentPort } from 'node:worker_threads'
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import type { JudgedPassword, Weakness } from './password-strength.ts'

/** The cost grows with the square of the length, and whoever has 72 good characters needs no more. */
const maxLength = 72

/** About 230 days of one core with our argon2id; ten random characters have 10^10. */
const enoughGuesses = 1e9

const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength })

/** By the names that the library gives to its warnings. */
const weaknesses: Record<string, Weakness> = {
  userInputs: 'personal',
  topTen: 'common',
  topHundred: 'common',
  common: 'common',
  similarToCommon: 'common',
  pwned: 'common',
  simpleRepeat: 'repeated',
  extendedRepeat: 'repeated',
  sequences: 'sequence',
  straightRow: 'keys',
  keyPattern: 'keys',
  dates: 'date',
  recentYears: 'date',
}

parentPort!.on('message', ({ password, about }: JudgedPassword) => {
  parentPort!.postMessage(judge(password, about))
})

function judge(password: string, about: string[]): Weakness | null {
  const { guesses, feedback, sequence } = zxcvbn.check(password.slice(0, maxLength), about)
  if (guesses >= enoughGuesses) return null
  if (sequence.some((match) => 'dictionaryName' in match && match.dictionaryName === 'userInputs')) return 'personal'
  return weaknesses[feedback.warning ?? ''] ?? 'guessable'
}
