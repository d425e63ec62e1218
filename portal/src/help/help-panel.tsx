import { Anchor, CloseButton, Drawer, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { version } from '../../package.json'
import { Failure, Loading } from '../components/page/page.tsx'
import { timeZone } from '../components/page/when.tsx'
import { readGuide, sectionOf } from './guides.ts'
import { Markdown } from './markdown.tsx'
import { topicOf } from './topics.ts'

/** Beside the page, or over it on a small screen, and the page stays in use: its section of the guide, and where to read on. */
export function HelpPanel({ pathname, onClose }: { pathname: string; onClose: () => void }) {
  const topic = topicOf(pathname)
  const guide = useQuery({
    queryKey: ['guide', 'portals'],
    queryFn: () => readGuide('portals'),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const section = guide.data && topic ? sectionOf(guide.data, topic) : []
  return (
    <Drawer.Root
      opened
      onClose={onClose}
      position="right"
      size={380}
      lockScroll={false}
      trapFocus={false}
      closeOnClickOutside={false}
    >
      {/* Without the library's header: beside the page, it would be a second banner. */}
      <Drawer.Content aria-label="Help" className="help-panel">
        <Drawer.Body>
          <Stack gap="sm">
            <Group justify="space-between">
              <Title order={2}>Help</Title>
              <CloseButton aria-label="Close help" onClick={onClose} data-autofocus />
            </Group>
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
              Times on this page are in your time zone: {timeZone}. Version {version}.
            </Text>
          </Stack>
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}
