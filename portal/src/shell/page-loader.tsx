import { Alert, Button, Text } from '@mantine/core'
import { type ComponentType, lazy, useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { onRegained, probe } from '../api/connection.ts'
import { Icon } from '../components/icon.tsx'
import { Loading, Page } from '../components/page.tsx'

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
export function lazyPage(load: () => Promise<{ default: ComponentType }>): ComponentType {
  const file: PageFile = {
    Page: undefined,
    load: async () => {
      count(1)
      try {
        file.Page = (await load()).default
      } finally {
        count(-1)
      }
    },
  }
  return lazy(async () => {
    await file.load().catch(() => {})
    return { default: file.Page ?? (() => <LatePage file={file} />) }
  })
}

interface PageFile {
  Page: ComponentType | undefined
  load: () => Promise<void>
}

function LatePage({ file }: { file: PageFile }) {
  const [problem, setProblem] = useState<'away' | 'missing' | null>(null)
  const [trying, setTrying] = useState(file.Page === undefined)
  const tryAgain = useCallback(async () => {
    if (file.Page) return
    setTrying(true)
    try {
      await file.load()
    } catch {
      const isThere = await probe()
      // The service is there, but the file is not: a new release has replaced it.
      if (isThere && reloadOnce()) return
      setProblem(isThere ? 'missing' : 'away')
    }
    setTrying(false)
  }, [file])
  useEffect(() => {
    void tryAgain()
    return onRegained(() => void tryAgain())
  }, [tryAgain])
  if (file.Page) return <file.Page />
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
