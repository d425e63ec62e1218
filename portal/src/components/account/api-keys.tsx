import { Badge, Box, Menu, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import { useApi, usePages, useRead } from '../../api/api.tsx'
import { deletedText, type Place, permissionText } from '../form/permissions.ts'
import { ActionMenu } from '../page/action-menu.tsx'
import { When } from '../page/when.tsx'
import { ListPage } from '../table/list-page.tsx'
import type { Column } from '../table/table.tsx'
import { ChangeKey, type Key, NewKey, RevokeKey, RotateKey } from './api-key-dialogs.tsx'
import { OwnLimits } from './own-limits.tsx'

export function CustomerApiKeys() {
  return (
    <ApiKeys
      about="Keys for your own scripts and systems. Give each only what it needs. Only administrators create, change and revoke keys."
      columns={[
        {
          label: 'May do',
          wide: 'lg',
          cell: ({ permissions = null }) => <Clamped text={permissionText(permissions)} />,
        },
        { label: 'Where', wide: 'lg', cell: ({ within = null }) => <Places within={within} /> },
      ]}
    />
  )
}

export function PartnerApiKeys() {
  return (
    <ApiKeys
      about="A key has full access to the partner API: applications, models, fleet, webhooks and integration log."
      columns={[]}
    />
  )
}

type Open = { kind: 'change' | 'rotate' | 'revoke'; key: Key } | null

function ApiKeys({ about, columns }: { about: string; columns: Column<Key>[] }) {
  const { kind } = useApi('organization', 'partner')
  const [open, setOpen] = useState<Open>(null)
  useWantedRotation((key) => setOpen({ kind: 'rotate', key }))
  const onClose = () => setOpen(null)
  return (
    <ListPage<Key>
      title="API keys"
      about={about}
      list={usePages(`GET /core/v1/${kind}/api-keys`)}
      unit="API key"
      rowKey={({ id }) => id}
      columns={[
        { label: 'Name', cell: (key) => <Name apiKey={key} /> },
        { label: 'Used by', wide: true, cell: ({ used_by }) => <Clamped text={used_by ?? ''} /> },
        ...columns,
        { label: 'Expires', cell: (key) => <Expiry apiKey={key} /> },
        { label: 'Last used', wide: true, cell: ({ last_used_at }) => <When at={last_used_at} /> },
        {
          label: 'Actions',
          actions: true,
          cell: (key) => <Actions apiKey={key} onChoose={(chosen) => setOpen({ kind: chosen, key })} />,
        },
      ]}
      below={({ used_by }) => used_by}
      create={{ verb: 'New API key', Dialog: NewKey }}
      empty={{
        icon: 'key',
        title: 'No API keys yet',
        hint: 'Create one key per script that calls this API, so that you can revoke each separately.',
      }}
    >
      <OwnLimits />
      {open?.kind === 'change' && <ChangeKey apiKey={open.key} onClose={onClose} />}
      {open?.kind === 'rotate' && <RotateKey apiKey={open.key} onClose={onClose} />}
      {open?.kind === 'revoke' && <RevokeKey apiKey={open.key} onClose={onClose} />}
    </ListPage>
  )
}

/** Opens the rotation of the key that the address names, where the overview leads to. */
function useWantedRotation(onWanted: (key: Key) => void) {
  const { kind } = useApi('organization', 'partner')
  const [search, setSearch] = useSearchParams()
  const id = search.get('rotate')
  const { data } = useRead(`GET /core/v1/${kind}/api-keys/{id}`, { id: id ?? '' }, { enabled: id !== null })
  // biome-ignore lint/correctness/useExhaustiveDependencies: both functions are new with every render
  useEffect(() => {
    if (!data || data.id !== id) return
    if (!data.replaced_by) onWanted(data)
    const rest = new URLSearchParams(search)
    rest.delete('rotate')
    setSearch(rest, { replace: true })
  }, [data, id])
}

function Name({ apiKey: { name, hint } }: { apiKey: Key }) {
  return (
    <Box style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}>
      {name}
      <Text ff="monospace" size="xs" c="dimmed">
        {hint}…
      </Text>
    </Box>
  )
}

/** Two lines; all of it in the tooltip. */
function Clamped({ text }: { text: string }) {
  return (
    <Text size="sm" lineClamp={2} title={text} maw={260} style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}>
      {text}
    </Text>
  )
}

function Places({ within }: { within: Place[] | null }) {
  if (within === null) return 'Everywhere'
  const names = within.flatMap(({ name }) => name ?? [])
  const deleted = deletedText(within)
  const problem = names.length > 0 ? deleted : `Nowhere: ${deleted ?? 'no space chosen'}`
  return (
    <>
      {names.length > 0 && <Clamped text={names.join(', ')} />}
      {problem && (
        <Text size="sm" c="var(--mantine-color-error)">
          {problem.charAt(0).toUpperCase() + problem.slice(1)}
        </Text>
      )}
    </>
  )
}

/** As long before it as the service announces it. */
const soonMilliseconds = 14 * 86_400_000

function Expiry({ apiKey: { expires_at, expired, replaced_by } }: { apiKey: Key }) {
  if (expires_at === null) return <When at={null} />
  const isSoon = new Date(expires_at).getTime() - Date.now() < soonMilliseconds
  if (expired) return <Badge color="red">{replaced_by ? 'Rotated' : 'Expired'}</Badge>
  if (replaced_by) {
    return (
      <Badge color="gray">
        Rotated, ends <When at={expires_at} />
      </Badge>
    )
  }
  return isSoon ? (
    <Badge color="yellow">
      <When at={expires_at} />
    </Badge>
  ) : (
    <When at={expires_at} />
  )
}

function Actions({ apiKey, onChoose }: { apiKey: Key; onChoose: (kind: 'change' | 'rotate' | 'revoke') => void }) {
  const { name, expired, replaced_by } = apiKey
  return (
    <ActionMenu label={`Actions for ${name}`}>
      {!expired && <Menu.Item onClick={() => onChoose('change')}>Change</Menu.Item>}
      {!replaced_by && <Menu.Item onClick={() => onChoose('rotate')}>Rotate</Menu.Item>}
      <Menu.Item c="var(--mantine-color-error)" onClick={() => onChoose('revoke')}>
        {expired ? 'Remove from the list' : 'Revoke'}
      </Menu.Item>
    </ActionMenu>
  )
}
