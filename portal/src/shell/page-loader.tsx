import { Alert, Button, Text } from '@mantine/core'
import { type ComponentType, lazy, useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { onRegained, probe } from '../api/connection.ts'
import { Icon } from '../components/page/icon.tsx'
import { Loading, Page } from '../components/page/page.tsx'
import type { PageModule } from '../page-module.ts'

const storageKey = 'landbridge.reloaded'
const reloadMilliseconds = 60_000

let underWay = 0
const watchers = new Set<() => void>()

function count(change: number): void {
  underWay += change
  for (const watcher of watchers) watcher()
}

/** Whether the file of a page is on its way. */
export function usePageLoading(): boolean {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => underWay > 0,
  )
}

/**
 * The component of a page, whose file is loaded when it is first shown. If it cannot be loaded, the page says so in its
 * place inside the frame, and loads as soon as the service is back; `lazy` alone would keep the failure.
 */
export function lazyPage(page: PageModule): ComponentType {
  const Late = lazy(async () => {
    await loadCounted(page).catch(() => {})
    return { default: page.loaded ?? (() => <LatePage page={page} />) }
  })
  return () => <PageOfFile page={page} Late={Late} />
}

function PageOfFile({ page, Late }: { page: PageModule; Late: ComponentType }) {
  // Shown at once if it is there already, since `lazy` would suspend the first render; decided once, since the other one
  // would be mounted anew.
  const [Loaded] = useState(() => page.loaded)
  return Loaded ? <Loaded /> : <Late />
}

async function loadCounted(page: PageModule): Promise<void> {
  count(1)
  try {
    await page.load()
  } finally {
    count(-1)
  }
}

function LatePage({ page }: { page: PageModule }) {
  const [problem, setProblem] = useState<'away' | 'missing' | null>(null)
  const [trying, setTrying] = useState(page.loaded === undefined)
  const tryAgain = useCallback(async () => {
    if (page.loaded) return
    setTrying(true)
    try {
      await loadCounted(page)
    } catch {
      const isThere = await probe()
      // The service is there, but the file is not: a new release has replaced it.
      if (isThere && reloadOnce()) return
      setProblem(isThere ? 'missing' : 'away')
    }
    setTrying(false)
  }, [page])
  useEffect(() => {
    void tryAgain()
    return onRegained(() => void tryAgain())
  }, [tryAgain])
  if (page.loaded) return <page.loaded />
  if (trying) return <Loading />
  return (
    <Page title="This page could not be loaded">
      <Alert color="red" icon={<Icon name="alert" />} role="alert">
        <Text size="sm">
          {problem === 'away'
            ? 'The service cannot be reached. This page loads by itself when the service is back.'
            : 'A part of this page is missing. If it happens again, contact the operator of this service.'}
        </Text>
        <Button size="xs" variant="default" mt="xs" onClick={() => void tryAgain()}>
          Try again
        </Button>
      </Alert>
    </Page>
  )
}

/** Not again within a minute, or a file that is really missing would reload the page for ever. */
function reloadOnce(): boolean {
  const last = Number(sessionStorage.getItem(storageKey) ?? 0)
  if (Date.now() - last < reloadMilliseconds) return false
  sessionStorage.setItem(storageKey, String(Date.now()))
  location.reload()
  return true
}
