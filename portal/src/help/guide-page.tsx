import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Navigate, useLocation, useParams } from 'react-router'
import { Failure, Loading } from '../components/page/page.tsx'
import { guides, isGuide, readGuide } from './guides.ts'
import { Markdown } from './markdown.tsx'

export function GuidePage() {
  const { guide = '' } = useParams()
  return isGuide(guide) ? <Guide key={guide} name={guide} /> : <Navigate to="/help/portals" replace />
}

function Guide({ name }: { name: keyof typeof guides }) {
  const { hash } = useLocation()
  const { title } = guides[name]
  const tokens = useQuery({
    queryKey: ['guide', name],
    queryFn: () => readGuide(name),
    staleTime: Number.POSITIVE_INFINITY,
  })
  useEffect(() => {
    document.title = `${title} · Landbridge`
  }, [title])
  const shown = tokens.data !== undefined
  useEffect(() => {
    if (!shown) return
    // The browser looked for it before the text was there.
    const heading = hash && document.getElementById(decodeURIComponent(hash.slice(1)))
    if (heading) heading.scrollIntoView()
    else window.scrollTo(0, 0)
  }, [shown, hash])
  if (tokens.error) return <Failure error={tokens.error} retry={() => void tokens.refetch()} />
  if (!tokens.data) return <Loading rows={12} />
  return (
    <Stack component="article" gap="sm" maw={820} style={{ overflowWrap: 'anywhere' }}>
      <Markdown tokens={tokens.data} guide={name} />
    </Stack>
  )
}
