// `npm run crash`: the long version. The test run has a short one.
import { crash } from './rounds.ts'

await crash({ serviceKills: 20, postgresKills: 5, frozenSeconds: 20 })
process.exit(0)
