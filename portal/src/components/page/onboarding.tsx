import { Anchor, Button, Group, SimpleGrid, Text, ThemeIcon } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import { Icon } from './icon.tsx'
import { Panel } from './page.tsx'

export interface Step {
  title: string
  hint: string
  /** Where it is done. */
  link: { label: string; to: string }
  done: boolean
}

/**
 * The first steps, checked off by what there is and not by clicks, whoever does them. Gone when nothing is left, or when
 * somebody hides it in this browser; `name` is what it is remembered by.
 */
export function Onboarding({ name, steps }: { name: string; steps: Step[] }) {
  const key = `landbridge.onboarding-hidden.${name}`
  const [hidden, setHidden] = useState(() => localStorage.getItem(key) !== null)
  const done = steps.filter((step) => step.done).length
  if (hidden || done === steps.length) return null
  const hide = () => {
    localStorage.setItem(key, '1')
    setHidden(true)
  }
  return (
    <Panel
      title="Get started"
      actions={
        <Group gap="sm">
          <Text size="sm" c="dimmed">
            {done} of {steps.length} done
          </Text>
          <Button size="compact-xs" variant="default" onClick={hide}>
            Hide
          </Button>
        </Group>
      }
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {steps.map((step) => (
          <StepLine key={step.title} {...step} />
        ))}
      </SimpleGrid>
    </Panel>
  )
}

function StepLine({ title, hint, link, done }: Step) {
  return (
    <Group wrap="nowrap" align="flex-start" gap="sm" component="li">
      <ThemeIcon
        size={22}
        radius="xl"
        variant={done ? 'filled' : 'default'}
        role="img"
        aria-label={done ? 'Done' : 'To do'}
      >
        {done && <Icon name="check" size={14} />}
      </ThemeIcon>
      <div>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        {!done && (
          <Text size="sm" c="dimmed" component="div">
            {hint}{' '}
            <Anchor component={Link} to={link.to} inherit underline="always">
              {link.label}
            </Anchor>
          </Text>
        )}
      </div>
    </Group>
  )
}
