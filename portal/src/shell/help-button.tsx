import { ActionIcon } from '@mantine/core'
import { useLocation } from 'react-router'
import { Icon } from '../components/page/icon.tsx'
import { useLate } from './late.ts'

const loadPanel = async () => (await import('../help/help-panel.tsx')).HelpPanel

/** Help about the page that is open; it stays open, and follows, on the way to another page. */
export function HelpButton() {
  const { pathname } = useLocation()
  const { Late: Panel, opened, loading, open, close } = useLate(loadPanel)
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label="Help"
        aria-expanded={opened}
        data-tooltip={opened ? undefined : 'Help'}
        loading={loading}
        onClick={opened ? close : open}
      >
        <Icon name="help" />
      </ActionIcon>
      {Panel && <Panel pathname={pathname} onClose={close} />}
    </>
  )
}
