import { sleep } from './backoff.ts'
import { LandbridgeError } from './errors.ts'
import { sealWith } from './seal.ts'
import { isSame, type TokenStore } from './tokens.ts'

/** A lock that nobody renews ends after this. */
const lockMilliseconds = 30_000

const removeIfSame = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`
const renewIfOurs = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0`

/**
 * Tokens in Redis or Valkey, sealed with `key`. `command` sends one command: `(args) => client.sendCommand(args)` with
 * node-redis, `([name, ...args]) => client.call(name, ...args)` with ioredis. The server must keep what it acknowledged
 * (`appendonly yes`, `appendfsync always`), or a crash of it disconnects organizations.
 */
export function redisTokenStore({
  command,
  key,
  prefix = 'landbridge:',
  waitMs = 120_000,
}: {
  command(args: string[]): Promise<unknown>
  key: string
  prefix?: string
  /** How long to wait for another process that holds the same organization, as it does while a 429 is waited out. */
  waitMs?: number
}): TokenStore {
  const seal = sealWith(key)
  const nameOf = (orgId: string) => `${prefix}tokens:${orgId}`
  const sealedOf = async (orgId: string) => {
    const sealed = await command(['GET', nameOf(orgId)])
    return sealed === null || sealed === undefined ? undefined : String(sealed)
  }
  const read = async (orgId: string) => {
    const sealed = await sealedOf(orgId)
    return sealed === undefined ? undefined : await seal.open(orgId, sealed)
  }

  async function lock(orgId: string): Promise<() => Promise<void>> {
    const name = `${prefix}lock:${orgId}`
    const ours = crypto.randomUUID()
    const until = Date.now() + waitMs
    while ((await command(['SET', name, ours, 'NX', 'PX', String(lockMilliseconds)])) === null) {
      if (Date.now() > until) throw new LandbridgeError('busy', `Another process holds ${orgId} for too long.`)
      await sleep(20 + Math.random() * 60)
    }
    const renew = () => {
      command(['EVAL', renewIfOurs, '1', name, ours, String(lockMilliseconds)]).catch(() => {})
    }
    const timer = setInterval(renew, lockMilliseconds / 3)
    return async () => {
      clearInterval(timer)
      // It ends by itself: the work is done, and its outcome counts.
      await command(['EVAL', removeIfSame, '1', name, ours]).catch(() => {})
    }
  }

  return {
    read,
    async exclusively(orgId, work) {
      const unlock = await lock(orgId)
      try {
        return await work({
          read: () => read(orgId),
          async write(tokens) {
            await command(['SET', nameOf(orgId), await seal.close(tokens)])
          },
          async remove(tokens) {
            const sealed = await sealedOf(orgId)
            if (sealed === undefined || !isSame(await seal.open(orgId, sealed), tokens)) return
            await command(['EVAL', removeIfSame, '1', nameOf(orgId), sealed])
          },
        })
      } finally {
        await unlock()
      }
    },
  }
}
