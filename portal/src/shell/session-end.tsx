import { Anchor } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { signInAddress } from '../api/http.ts'
import { notifyDone } from '../api/notify.tsx'
import { loadAgain, readSession, type Session, sessionRegained, useSessionEnd } from '../api/session.tsx'
import { lateComponent } from './late.ts'

const lookMilliseconds = 4_000

/** Notices that the user has signed in in another tab; returns the email if that was someone else. */
function useReturn(ended: boolean, userId: string): string | null {
  const client = useQueryClient()
  const [other, setOther] = useState<string | null>(null)
  useEffect(() => {
    if (!ended) return
    const look = async () => {
      if (document.hidden) return
      const session = await readSession().catch(() => null)
      if (!session) return
      if (session.user.id !== userId) return setOther(session.user.email)
      setOther(null)
      sessionRegained()
      notifyDone('You are signed in again.')
      await loadAgain(client)
    }
    const timer = window.setInterval(look, lookMilliseconds)
    window.addEventListener('focus', look)
    return () => {
      window.clearInterval(timer)
      window.removeEventListener('focus', look)
    }
  }, [ended, userId, client])
  return other
}

const EndDialog = lateComponent(async () => (await import('./session-end-dialog.tsx')).EndDialog)

/** The page stays below it, so that nothing typed is lost. Until its file is there, the banner says the same. */
export function SessionEndDialog({ user }: { user: Session['user'] }) {
  const end = useSessionEnd()
  const other = useReturn(end !== 'no', user.id)
  if (end !== 'ended') return null
  return (
    <Suspense>
      <EndDialog user={user} other={other} />
    </Suspense>
  )
}

/** For the banner, once the dialog is closed. */
export function SignInLink() {
  useLocation()
  return (
    <Anchor href={signInAddress()} target="_blank" rel="noopener" c="inherit" underline="always" size="sm">
      Sign in
    </Anchor>
  )
}
