import { Alert, Button, Text } from '@mantine/core'
import { type ComponentType, useCallback, useEffect, useState } from 'react'
import { onRegained, probe } from '../api/connection.ts'
import { Icon } from '../components/icon.tsx'
import { Loading, Page } from '../components/page.tsx'

const storageKey = 'landbridge.reloaded'
const reloadMilliseconds = 60_000

/**
 * Loads the component of a page. If its file cannot be loaded, the page says so in its place inside the frame, and loads
 * as soon as the service is back. The router would keep the failure for as long as the tab is open.
 */
export function pageLoader(load: () => Promise<unknown>, name: string): () => Promise<{ Component: ComponentType }> {
  const file: PageFile = {
    Page: undefined,
    load: async () => {
      file.Page = ((await load()) as Record<string, ComponentType>)[name]
    },
  }
  return async () => {
    await file.load().catch(() => {})
    return { Component: file.Page ?? (() => <LatePage file={file} />) }
  }
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
