import { Alert, Button, Group, List, Text } from '@mantine/core'
import { useApi, useChange } from '../api/api.tsx'
import { sentenceOf } from '../api/http.ts'
import { Icon } from '../components/page/icon.tsx'
import { amount } from './amount.ts'
import { importSpaces } from './space-import.tsx'
import { pathText } from './space-lines.ts'

/** As many as can be read; a typing error shows among the first. */
const maxListed = 8

/** Says which spaces a list of devices names that do not exist, and creates them if that is meant. */
export function MissingSpaces({ missing }: { missing: string[][] }) {
  const api = useApi()
  const create = useChange({
    run: () => importSpaces(api, missing),
    invalidates: ['GET /core/v1/organization/spaces', 'GET /core/v1/organization/info'],
    done: (created) => `${amount(created, 'space')} created.`,
    silent: true,
  })
  return (
    <Alert
      icon={<Icon name="tree" />}
      title={
        missing.length === 1
          ? 'One space of this list does not exist yet'
          : `${amount(missing.length, 'space')} of this list do not exist yet`
      }
      p="xs"
    >
      <List size="sm">
        {missing.slice(0, maxListed).map((path) => (
          <List.Item key={pathText(path)}>{pathText(path)}</List.Item>
        ))}
      </List>
      {missing.length > maxListed && <Text size="sm">and {amount(missing.length - maxListed, 'other')}</Text>}
      {create.error && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {sentenceOf(create.error)}
        </Text>
      )}
      <Group mt="xs">
        <Button size="xs" variant="default" onClick={() => create.mutate()} loading={create.isPending}>
          Create {amount(missing.length, 'space')}
        </Button>
      </Group>
    </Alert>
  )
}
