import { Alert, Button, FileButton, Group, Progress, Stack, Text, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useParams } from 'react-router'
import { useApi } from '../api/api.tsx'
import { saveFile } from '../api/http.ts'
import type { Model, Space } from '../api/organization.ts'
import { useSession } from '../api/session.tsx'
import { csvName, toCsv } from '../components/csv.ts'
import { Icon } from '../components/icon.tsx'
import { ModelPicker } from '../components/model-picker.tsx'
import { amount } from './amount.ts'
import { type CheckedLine, checkLines, spacePaths } from './claim-check.ts'
import { decodeList, parseClaimLines } from './claim-lines.ts'
import { type LineResults, listStorage, useClaimList } from './claim-list.ts'
import { ClaimTable } from './claim-table.tsx'
import { MissingSpaces } from './missing-spaces.tsx'
import { missingSpaces } from './space-lines.ts'
import { SpacePicker } from './space-picker.tsx'

const example = `mac, serial number, model, space, name
00:1b:44:11:3a:b7, SN-1001, Room sensor, Building A / Floor 2, Room 201
001B.4411.3AB8; SN-1002`

/** More than any site has, and few enough for a page. */
const maxLines = 20_000
const maxFileBytes = 8 * 1024 * 1024

export function ClaimMany({ models, spaces, loading }: { models: Model[]; spaces: Space[]; loading: boolean }) {
  const api = useApi()
  const client = useQueryClient()
  const { customerId } = useParams()
  const storage = useMemo(() => listStorage(customerId!), [customerId])
  const [stored] = useState(() => storage.list())
  const [text, setText] = useState(stored?.text ?? '')
  const [modelId, setModelId] = useState(stored?.modelId ?? (models.length === 1 ? models[0]!.id : null))
  const [spaceId, setSpaceId] = useState(stored?.spaceId ?? null)
  const [fileError, setFileError] = useState<string | null>(null)
  const list = useClaimList(stored ? storage.results() : new Map(), storage.keepResults)
  const { results, phase, error } = list
  const lines = useMemo(
    () => checkLines(parseClaimLines(text), { models, spaces, modelId, spaceId }),
    [text, models, spaces, modelId, spaceId],
  )

  const missing = useMemo(
    () =>
      missingSpaces(
        lines.flatMap((line) => (line.claim ? [] : [line.missingSpace ?? []])),
        spaces,
      ),
    [lines, spaces],
  )
  const running = phase.kind !== 'idle'
  const started = running || results.size > 0
  const ready = lines.filter(({ claim }) => claim)
  const tooLong = lines.length > maxLines
  const failures = lines.filter(({ line, problem }) => problem !== null || results.get(line)?.kind === 'failed')
  const counts = { ...countResults(ready, results), failed: failures.length }
  const sendable = failures.some(({ claim }) => claim)

  const claim = async (done: LineResults) => {
    storage.keepList({ text, modelId, spaceId, startedAt: Date.now() })
    const ended = await list.run(ready, done)
    if (!ended) return
    const finished = ended.size === lines.length && [...ended.values()].every(({ kind }) => kind !== 'failed')
    if (finished) storage.clear()
    await client.invalidateQueries({ queryKey: [api.name] })
  }
  const startAgainWith = (next: string) => {
    list.reset()
    storage.clear()
    setText(next)
  }
  const readFile = async (file: File | null) => {
    if (!file) return
    setFileError(file.size > maxFileBytes ? 'The file is larger than 8 MB.' : null)
    if (file.size <= maxFileBytes) setText(decodeList(await file.arrayBuffer()))
  }
  const organization = useSession().data?.customers.find(({ id }) => id === customerId)?.name ?? ''
  const failuresName = csvName([organization, 'failed devices', new Date().toISOString().slice(0, 10)])
  const failuresAsCsv = (withReason: boolean) =>
    failureCsv(failures, results, { models, spaces, modelId, spaceId }, withReason)

  return (
    <Stack gap="sm">
      {!started && (
        <>
          <Group align="flex-end">
            <ModelPicker
              label="Model"
              description="For lines without a model"
              placeholder="Choose a model"
              value={modelId}
              onChange={setModelId}
              w={260}
            />
            <SpacePicker
              label="Space"
              description="For lines without a space"
              placeholder="No space"
              value={spaceId}
              onChange={setSpaceId}
              clearable
              w={220}
            />
            <FileButton accept=".csv,.txt,text/csv,text/plain" onChange={readFile}>
              {(props) => (
                <Button {...props} variant="default" leftSection={<Icon name="upload" size={16} />}>
                  Upload a CSV file
                </Button>
              )}
            </FileButton>
          </Group>
          {fileError && <Problem>{fileError}</Problem>}
          <Textarea
            label="MAC and serial number, one device per line"
            description="A first line may name the columns, in any order: mac, serial number, model, space, name"
            placeholder={example}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autosize
            minRows={4}
            maxRows={10}
            spellCheck={false}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          />
        </>
      )}
      {lines.length > 0 && (
        <>
          {!started && !loading && missing.length > 0 && <MissingSpaces missing={missing} />}
          <Group justify="space-between">
            <Text size="sm" role="status" fw={started ? 600 : 400}>
              {started ? summaryOf(counts) : previewOf(lines.length, ready.length)}
            </Text>
            <Group gap="xs">
              {running && (
                <Button variant="default" onClick={list.stop}>
                  Stop
                </Button>
              )}
              {!running && counts.remaining > 0 && (
                <Button onClick={() => void claim(results)} disabled={loading || tooLong}>
                  {started ? 'Resume' : `Claim ${amount(ready.length, 'device')}`}
                </Button>
              )}
              {!running && started && (
                <Button variant="default" onClick={() => startAgainWith('')}>
                  New list
                </Button>
              )}
            </Group>
          </Group>
          {tooLong && <Problem>{`A list can have ${maxLines.toLocaleString('en')} lines. Split this one.`}</Problem>}
          {error && <Problem>{`${error} Resume when it is back: what was claimed stays claimed.`}</Problem>}
          {!running && started && !error && counts.remaining > 0 && (
            <Text size="sm" c="dimmed">
              Stopped before the end. Resume claims what remains; no device is claimed twice.
            </Text>
          )}
          {phase.kind === 'waiting' && (
            <Alert color="yellow" icon={<Icon name="clock" />} role="timer" p="xs">
              Rate limit reached. Resuming in {phase.seconds} s
            </Alert>
          )}
          {started && (
            <Progress
              value={(100 * (ready.length - counts.remaining)) / Math.max(ready.length, 1)}
              animated={phase.kind === 'sending'}
              aria-label="Progress"
            />
          )}
          {!running && started && failures.length > 0 && (
            <>
              {sendable && (
                <Text size="sm" c="dimmed">
                  Check MAC, serial number and model against the label. The device must be registered by its partner’s
                  cloud, which happens when it first goes online, and must not be claimed by another organization.
                </Text>
              )}
              <Group gap="xs">
                <Button
                  size="xs"
                  variant="default"
                  onClick={() =>
                    saveFile(new Blob(['\ufeff', failuresAsCsv(true)], { type: 'text/csv' }), failuresName)
                  }
                >
                  Download failures as CSV
                </Button>
                <Button size="xs" variant="default" onClick={() => startAgainWith(failuresAsCsv(false))}>
                  Edit failed lines
                </Button>
                {sendable && (
                  <Button size="xs" variant="default" onClick={() => void claim(withoutFailures(results))}>
                    Retry failed lines
                  </Button>
                )}
              </Group>
            </>
          )}
          <ClaimTable lines={lines} results={results} started={started} />
        </>
      )}
    </Stack>
  )
}

function Problem({ children }: { children: string }) {
  return (
    <Alert color="red" icon={<Icon name="alert" />} role="alert" p="xs">
      {children}
    </Alert>
  )
}

interface Counts {
  claimed: number
  alreadyYours: number
  /** Including lines that could not be sent. */
  failed: number
  remaining: number
}

function countResults(ready: readonly CheckedLine[], results: LineResults): Omit<Counts, 'failed'> {
  const kinds = Map.groupBy(ready, ({ line }) => results.get(line)?.kind)
  const count = (kind: Parameters<typeof kinds.get>[0]) => kinds.get(kind)?.length ?? 0
  return { claimed: count('claimed'), alreadyYours: count('already_yours'), remaining: count(undefined) }
}

function summaryOf({ claimed, alreadyYours, failed, remaining }: Counts): string {
  const parts = [`${number(claimed)} claimed`]
  if (alreadyYours > 0) parts.push(`${number(alreadyYours)} already claimed`)
  parts.push(`${number(failed)} failed`)
  if (remaining > 0) parts.push(`${number(remaining)} remaining`)
  return parts.join(', ')
}

function previewOf(lines: number, ready: number): string {
  const problems = lines - ready
  const rest = problems > 0 ? `, ${amount(problems, 'line')} to correct` : ''
  return `${amount(lines, 'line')}, ${number(ready)} ready to claim${rest}`
}

function withoutFailures(results: LineResults): LineResults {
  return new Map([...results].filter(([, { kind }]) => kind !== 'failed'))
}

/** With what was chosen for lines that name no model or space, so that the file is complete by itself. */
function failureCsv(
  failures: readonly CheckedLine[],
  results: LineResults,
  chosen: { models: Model[]; spaces: Space[]; modelId: string | null; spaceId: string | null },
  withReason: boolean,
): string {
  const model = chosen.modelId ?? ''
  const space = chosen.spaceId ? (spacePaths(chosen.spaces).get(chosen.spaceId) ?? '') : ''
  const rows = failures.map((line) => {
    const result = results.get(line.line)
    const reason = line.problem ?? (result?.kind === 'failed' ? result.reason : '')
    const cells = [line.mac, line.sn, line.model || model, line.space || space, line.name]
    return withReason ? [...cells, reason] : cells
  })
  const header = ['mac', 'serial number', 'model', 'space', 'name']
  return withReason ? toCsv([...header, 'reason'], rows) : toCsv(header, rows)
}

function number(count: number): string {
  return count.toLocaleString('en')
}
