import { Progress } from '@mantine/core'
import { amount } from './amount.ts'

/** `1,560 devices` */
export function devicesText(count: number): string {
  return amount(count, 'device')
}

/** Of what needs more than one call. */
export function Done({ done, of }: { done: number; of: number }) {
  if (done === 0 || done === of) return null
  return <Progress value={(100 * done) / of} aria-label={`${devicesText(done)} of ${of.toLocaleString('en')} done`} />
}
