import { Button, Group, Stack, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useApi, useChange } from '../api/api.tsx'
import type { Calls } from '../api/calls.ts'
import { sentenceOf } from '../api/http.ts'
import type { Space } from '../api/organization.ts'
import { Dialog } from '../components/form/dialog.tsx'
import { Empty } from '../components/page/page.tsx'
import { DataTable } from '../components/table/table.tsx'
import { amount } from './amount.ts'
import { ListField, Problem, useListFile } from './list-field.tsx'
import { type CheckedSpaceLine, checkSpaceLines, parseSpaceLines, pathText } from './space-lines.ts'

const example = `Berlin / 3rd floor / 311
Berlin / 3rd floor / 312
Oslo, Ground floor, Reception`

/** As many as the service takes in one call. */
const pathsPerCall = 1_000
const maxLines = 10_000

/** Each call is all or nothing, and a repetition creates nothing twice: after a failure, send the list again. */
export async function importSpaces(api: Calls, paths: readonly string[][]): Promise<number> {
  let created = 0
  for (let at = 0; at < paths.length; at += pathsPerCall) {
    const part = paths.slice(at, at + pathsPerCall)
    created += (await api.send('POST /core/v1/organization/spaces/import', { body: { paths: part } })).created
  }
  return created
}

/** `loading`: not all spaces are known yet, so that the preview may call one new that exists. */
export function ImportSpaces({ spaces, loading, onClose }: { spaces: Space[]; loading: boolean; onClose: () => void }) {
  const api = useApi()
  const [text, setText] = useState('')
  const file = useListFile(2, setText)
  const lines = useMemo(() => checkSpaceLines(parseSpaceLines(text), spaces), [text, spaces])
  const problems = lines.filter(({ problem }) => problem !== null).length
  const missing = lines.reduce((sum, line) => sum + line.missing.length, 0)
  const tooLong = lines.length > maxLines
  const create = useChange({
    run: () =>
      importSpaces(
        api,
        lines.filter((line) => line.missing.length > 0).map(({ path }) => path),
      ),
    invalidates: ['GET /core/v1/organization/spaces', 'GET /core/v1/organization/info'],
    done: (created) => {
      onClose()
      return `${amount(created, 'space')} created.`
    },
    silent: true,
  })
  const error = file.error ?? (tooLong ? `A list can have ${amount(maxLines, 'line')}. Split this one.` : null)
  return (
    <Dialog onClose={onClose} title="Import spaces" size="xl">
      <Stack gap="sm">
        <ListField
          label="One space per line, as a path or in columns"
          description="From the site down to the room. What exists already stays as it is."
          placeholder={example}
          value={text}
          onType={setText}
          maxRows={8}
          data-autofocus
        />
        <Group justify="space-between">
          {file.button}
          <Button
            onClick={() => create.mutate()}
            loading={create.isPending}
            disabled={missing === 0 || tooLong || loading}
          >
            {missing > 0 ? `Create ${amount(missing, 'space')}` : 'Create spaces'}
          </Button>
        </Group>
        {(error ?? create.error) && (
          <Problem>{error ?? `${sentenceOf(create.error!)} Send the list again: nothing is created twice.`}</Problem>
        )}
        {lines.length > 0 && (
          <>
            <Text size="sm" role="status">
              {loading ? 'Loading your spaces…' : previewOf(lines.length, missing, problems)}
            </Text>
            <DataTable
              // What needs attention comes first.
              list={{ items: [...lines.filter(({ problem }) => problem), ...lines.filter(({ problem }) => !problem)] }}
              label="Lines to import"
              unit="line"
              rowKey={({ line }) => String(line)}
              columns={[
                { label: 'Line', width: 62, cell: ({ line }) => line.toLocaleString('en') },
                {
                  label: 'Space',
                  // Cut off on a phone, the paths of two rooms would look the same.
                  cell: ({ path }) => (
                    <span style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}>{pathText(path) || '–'}</span>
                  ),
                },
                { label: 'Result', width: 150, cell: (line) => <Outcome line={line} /> },
              ]}
              empty={<Empty icon="check" title="No lines" />}
            />
          </>
        )}
      </Stack>
    </Dialog>
  )
}

function previewOf(lines: number, missing: number, problems: number): string {
  const rest = problems > 0 ? `, ${amount(problems, 'line')} left out until corrected` : ''
  return `${amount(lines, 'line')}, ${amount(missing, 'new space')}${rest}`
}

function Outcome({ line: { problem, missing } }: { line: CheckedSpaceLine }) {
  const above = missing.length - 1
  const text = missing.length === 0 ? 'Exists' : above === 0 ? 'New' : `New, with ${above} above it`
  return (
    <Text size="xs" c={problem ? 'var(--mantine-color-error)' : 'dimmed'} style={{ whiteSpace: 'normal' }}>
      {problem ?? text}
    </Text>
  )
}
