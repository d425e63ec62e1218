import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { ownLimits } from '../own-limits.ts'
import { Refusal } from '../refusal.ts'

const deriveNow = promisify(argon2)
let running = 0
const waiting: (() => void)[] = []

/** A bounded number at once: each takes memory and one of the few threads that files and DNS need too. */
async function derive(...input: Parameters<typeof deriveNow>): Promise<Buffer> {
  if (running >= ownLimits.passwordsAtOnce) {
    if (waiting.length >= ownLimits.passwordsWaiting) {
      throw new Refusal(503, 'overloaded', 'Too many passwords are being checked. Try again shortly.')
    }
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else running += 1
  try {
    return await deriveNow(...input)
  } finally {
    // The next one takes over this slot, so that no later caller can overtake it.
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}

/** OWASP's first recommendation for argon2id: 19 MiB, two passes, no parallelism. */
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

const nobody = new WeakMap<PasswordCost, Promise<string>>()

/** For an unknown email: takes as long as a real verification, so that the time does not reveal which accounts exist. */
export async function verifyAgainstNobody(password: string, cost: PasswordCost): Promise<false> {
  const hash = nobody.get(cost) ?? hashPassword('nobody', cost)
  nobody.set(cost, hash)
  hash.catch(() => nobody.delete(cost))
  await verifyPassword(password, await hash)
  return false
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}
