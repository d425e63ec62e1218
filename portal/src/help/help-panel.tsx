import { Anchor, Drawer, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { Failure, Loading } from '../components/page.tsx'
import { timeZone } from '../components/when.tsx'
import { readGuide, sectionOf } from './guides.ts'
import { Markdown } from './markdown.tsx'
import { topicOf } from './topics.ts'

/** Beside the page, which stays in use: the section of the guide about it, and where to read on. */
export function HelpPanel({ pathname, onClose }: { pathname: string; onClose: () => void }) {
  const topic = topicOf(pathname)
  const guide = useQuery({
    queryKey: ['guide', 'portals'],
    queryFn: () => readGuide('portals'),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const section = guide.data && topic ? sectionOf(guide.data, topic) : []
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={380}
      title="Help"
      withOverlay={false}
      lockScroll={false}
      trapFocus={false}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close help' }}
    >
      <Stack gap="sm">
        {guide.error ? (
          <Failure error={guide.error} retry={() => void guide.refetch()} />
        ) : guide.data ? (
          <Markdown tokens={section} guide="portals" />
        ) : (
          <Loading rows={4} />
        )}
        <Group gap="md">
          <Anchor component={Link} to={`/help/portals${topic ? `#${topic}` : ''}`} size="sm">
            Open the guide
          </Anchor>
          <Anchor href="/docs" size="sm">
            API reference
          </Anchor>
        </Group>
        <Text size="xs" c="dimmed">
          Times on this page are in your time zone: {timeZone}.
        </Text>
      </Stack>
    </Drawer>
  )
}
