import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { it } from 'node:test'
import type { WatchedPool } from './hosts.ts'
import { inside, requireOutside } from './nested-statements.ts'
import type { Sql } from './pool-interface.ts'

it('a statement to a pool inside one of its open transactions is refused, however deep', async () => {
  const [pool, other] = [{}, {}] as WatchedPool[]
  const begun = <T>(work: (tx: Sql) => Promise<T>) => work({} as Sql)
  const refused = { message: /inside one of its transactions/ }
  let late = () => {}
  requireOutside(pool!)
  await inside(
    pool!,
    async () => {
      assert.throws(() => requireOutside(pool!), refused)
      requireOutside(other!)
      await inside(
        other!,
        async () => {
          for (const each of [pool!, other!]) assert.throws(() => requireOutside(each), refused)
        },
        begun,
      )
      requireOutside(other!)
      late = AsyncLocalStorage.bind(() => requireOutside(pool!))
    },
    begun,
  )
  requireOutside(pool!)
  // What a transaction leaves to be done later is no longer inside.
  late()
})
