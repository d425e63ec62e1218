import { Progress, Text } from '@mantine/core'
import { When } from './when.tsx'

interface UsedProps {
  /** Null where it is not counted. */
  used: number | null
  max: number
  refusedAt: string | null
}

/** `12 of 1,000`, with a bar that turns to a warning from 80% on, as the service counts it. */
export function Used({ used, max, refusedAt }: UsedProps) {
  const most = max.toLocaleString('en')
  return (
    <>
      {used === null ? (
        <Text size="sm">
          <Text span size="xs" c="dimmed">
            at most
          </Text>{' '}
          {most}
        </Text>
      ) : (
        <>
          <Text size="sm">
            {used.toLocaleString('en')}{' '}
            <Text span size="xs" c="dimmed">
              of {most}
            </Text>
          </Text>
          <Bar share={used / max} />
        </>
      )}
      {refusedAt && (
        <Text size="xs" c="var(--mantine-color-error)" mt={4}>
          last refused <When at={refusedAt} />
        </Text>
      )}
    </>
  )
}

function Bar({ share }: { share: number }) {
  const color = share >= 1 ? 'red' : share >= 0.8 ? 'yellow' : undefined
  return <Progress size="xs" mt={4} value={Math.min(100, share * 100)} {...(color ? { color } : {})} aria-hidden />
}
