import { describe, it } from 'node:test'
import { crash } from './crash/rounds.ts'

describe('decision 10.1: an acknowledgement means committed', () => {
  it('kill -9 of the service and of Postgres under load, and a frozen Postgres → every acknowledged message is there once', async () => {
    await crash({ serviceKills: 1, postgresKills: 1, frozenSeconds: 3 })
  })
})
