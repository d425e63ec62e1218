import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { ownLimits } from '../own-limits.ts'
import { Refusal } from '../refusal.ts'

const deriveNow = promisify(argon2)
let underWay = 0
const waiting: (() => void)[] = []

/** A bounded number at once, since each takes memory and a thread of the few that files and names need too. */
async function derive(...input: Parameters<typeof deriveNow>): Promise<Buffer> {
  if (underWay >= ownLimits.passwordsAtOnce) {
    if (waiting.length >= ownLimits.passwordsWaiting) {
      throw new Refusal(503, 'overloaded', 'Too many passwords are being checked at the moment. Try again shortly.')
    }
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else underWay += 1
  try {
    return await deriveNow(...input)
  } finally {
    // Whoever is next takes over this place, so that nobody can come in between.
    const next = waiting.shift()
    if (next) next()
    else underWay -= 1
  }
}

/** OWASP's first recommendation for argon2id: 19 MiB, two passes, one lane. */
export const standardCost = { memory: 19_456, passes: 2, parallelism: 1 }

export type PasswordCost = typeof standardCost

/** A PHC string, so that the cost can be raised later and old hashes still verify. */
export async function hashPassword(password: string, cost: PasswordCost): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await derive('argon2id', { message: password, nonce, tagLength: 32, ...cost })
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${base64(nonce)}$${base64(tag)}`
}

export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash)
  if (!match) return false
  const [, memory, passes, parallelism, nonce, tag] = match as unknown as string[]
  const expected = Buffer.from(tag!, 'base64')
  const actual = await derive('argon2id', {
    message: password,
    nonce: Buffer.from(nonce!, 'base64'),
    tagLength: expected.length,
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  })
  return timingSafeEqual(actual, expected)
}

let nobody: Promise<string> | undefined

/** Costs what a real verification costs, for the email nobody has: the answer's time must not tell who exists. */
export async function verifyAgainstNobody(password: string, cost: PasswordCost): Promise<false> {
  nobody ??= hashPassword('nobody', cost).catch((error) => {
    nobody = undefined
    throw error
  })
  await verifyPassword(password, await nobody)
  return false
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}
