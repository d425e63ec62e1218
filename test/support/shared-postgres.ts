import { ask } from '../runner/offer.ts'

let asked: Promise<string> | undefined

/** The address of the run's Postgres, as one who may create databases: the first file that asks has it started. */
export function sharedPostgres(): Promise<string> {
  const path = process.env.LANDBRIDGE_TEST_RUN
  if (!path) throw new Error('Run tests with `npm test [-- file …]`: it starts the Postgres they share.')
  asked ??= ask(path)
  return asked
}
