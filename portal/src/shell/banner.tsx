import { Group, Loader, Text } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { useConnection } from '../api/connection.ts'
import { useSessionEnd } from '../api/session.tsx'
import { Icon } from '../components/page/icon.tsx'
import { clockTime } from '../components/page/when.tsx'
import { usePageLoading } from './page-loader.tsx'
import { SignInLink } from './session-end.tsx'

/** What concerns the whole page: the connection, or else the session. */
export function Banner() {
  const { state, knownAt } = useConnection()
  const end = useSessionEnd()
  return (
    <div role="status" aria-live="polite">
      {state === 'lost' ? (
        <Line look="lost" icon={<Loader size={14} color="currentColor" />}>
          Connection lost. Retrying… This page shows what was known at {clockTime(knownAt)}.
        </Line>
      ) : end !== 'no' ? (
        <Line look="lost" icon={<Icon name="alert" size={16} />}>
          Your session has ended. <SignInLink />
        </Line>
      ) : state === 'regained' ? (
        <Line look="regained" icon={<Icon name="check" size={16} />}>
          Reconnected
        </Line>
      ) : null}
    </div>
  )
}

function Line({ look, icon, children }: { look: 'lost' | 'regained'; icon: ReactNode; children: ReactNode }) {
  return (
    <Group className={`banner banner-${look}`} gap="xs" wrap="nowrap" mb="sm">
      {icon}
      <Text size="sm" component="span">
        {children}
      </Text>
    </Group>
  )
}

const progressDelayMilliseconds = 150

/** A thin line while the next page is loading; a quick change shows none. */
export function NavigationProgress() {
  const loading = usePageLoading()
  const [shown, setShown] = useState(false)
  useEffect(() => {
    if (!loading) return setShown(false)
    const timer = window.setTimeout(() => setShown(true), progressDelayMilliseconds)
    return () => window.clearTimeout(timer)
  }, [loading])
  return shown ? <div className="navigation-progress" role="progressbar" aria-label="Loading page" /> : null
}
