// Used by test/runner/kinds.test.ts: a hook that no test file may have.
import { beforeEach } from 'node:test'

beforeEach(() => {})
