import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useParams } from 'react-router'
import { useApi } from '../api/api.tsx'
import { saveFile } from '../api/http.ts'
import type { Model, Space } from '../api/organization.ts'
import { useWithin } from '../api/permitted.ts'
import { useSession } from '../api/session.tsx'
import { ModelPicker } from '../components/device/model-picker.tsx'
import { SpacePicker } from '../components/form/space-picker.tsx'
import { Icon } from '../components/page/icon.tsx'
import { csvName } from '../components/table/csv.ts'
import { amount } from './amount.ts'
import { type CheckedLine, checkLines } from './claim-check.ts'
import { countResults, failureCsv, previewOf, summaryOf, withoutFailures } from './claim-counts.ts'
import { parseClaimLines } from './claim-lines.ts'
import { type LineResults, listStorage, useClaimList } from './claim-list.ts'
import { ClaimTable } from './claim-table.tsx'
import { ListField, Problem, useListFile } from './list-field.tsx'
import { MissingSpaces } from './missing-spaces.tsx'
import { missingSpaces } from './space-lines.ts'

const example = `mac, serial number, model, space, name
00:1b:44:11:3a:b7, SN-1001, Room sensor, Building A / Floor 2, Room 201
001B.4411.3AB8; SN-1002`

/** More than any site has, and few enough for a page. */
const maxLines = 20_000

interface Known {
  models: Model[]
  spaces: Space[]
  /** Not all of them are known yet. */
  loading: boolean
}

export function ClaimMany({ models, spaces, loading }: Known) {
  const claims = useClaims(models, spaces)
  const { lines, started, draft } = claims
  return (
    <Stack gap="sm">
      {!started && <Draft {...draft} />}
      {lines.length > 0 && (
        <>
          {!started && !loading && <MissingOf lines={lines} spaces={spaces} />}
          <Run claims={claims} loading={loading} />
          {claims.failed && <Failures {...claims.failed} />}
          <ClaimTable lines={lines} results={claims.results} started={started} />
        </>
      )}
    </Stack>
  )
}

type Claims = ReturnType<typeof useClaims>

/** The list as it is typed, what became of its lines, and what can be done with it now. */
function useClaims(models: Model[], spaces: Space[]) {
  const api = useApi()
  const client = useQueryClient()
  const { customerId } = useParams()
  const storage = useMemo(() => listStorage(customerId!), [customerId])
  const [stored] = useState(() => storage.list())
  const [text, setText] = useState(stored?.text ?? '')
  const [modelId, setModelId] = useState(stored?.modelId ?? (models.length === 1 ? models[0]!.id : null))
  const [spaceId, setSpaceId] = useState(stored?.spaceId ?? null)
  const list = useClaimList(stored ? storage.results() : new Map(), storage.keepResults)
  const { results, phase } = list
  const needsSpace = useWithin('devices: manage') !== null
  const chosen = { models, spaces, modelId, spaceId, needsSpace }
  const lines = useMemo(
    () => checkLines(parseClaimLines(text), { models, spaces, modelId, spaceId, needsSpace }),
    [text, models, spaces, modelId, spaceId, needsSpace],
  )
  const running = phase.kind !== 'idle'
  const started = running || results.size > 0
  const ready = lines.filter(({ claim }) => claim)
  const failures = lines.filter(({ line, problem }) => problem !== null || results.get(line)?.kind === 'failed')

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
  const failed = !running &&
    started &&
    failures.length > 0 && {
      csv: (withReason: boolean) => failureCsv(failures, results, chosen, withReason),
      onEdit: startAgainWith,
      onRetry: failures.some(({ claim }) => claim) ? () => void claim(withoutFailures(results)) : null,
    }
  const draft = { text, setText, modelId, setModelId, spaceId, setSpaceId, needsSpace }
  const counts = { ...countResults(ready, results), failed: failures.length }
  return { ...list, draft, lines, ready, counts, running, started, failed, claim, startAgainWith }
}

/** The fields of a list that has not been sent. */
function Draft({ text, setText, modelId, setModelId, spaceId, setSpaceId, needsSpace }: Claims['draft']) {
  const file = useListFile(8, setText)
  return (
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
          placeholder={needsSpace ? 'Choose a space' : 'No space'}
          value={spaceId}
          onChange={setSpaceId}
          clearable
          w={220}
        />
        {file.button}
      </Group>
      {file.error && <Problem>{file.error}</Problem>}
      <ListField
        label="MAC and serial number, one device per line"
        description="A first line may name the columns, in any order: mac, serial number, model, space, name"
        placeholder={example}
        value={text}
        onType={setText}
        maxRows={10}
      />
    </>
  )
}

function MissingOf({ lines, spaces }: { lines: CheckedLine[]; spaces: Space[] }) {
  const missing = useMemo(
    () =>
      missingSpaces(
        lines.flatMap((line) => (line.claim ? [] : [line.missingSpace ?? []])),
        spaces,
      ),
    [lines, spaces],
  )
  return missing.length > 0 && <MissingSpaces missing={missing} />
}

/** How far it is, the buttons that start and stop it, and why it does not go on. */
function Run({ claims, loading }: { claims: Claims; loading: boolean }) {
  const { lines, ready, results, counts, running, started, claim } = claims
  const tooLong = lines.length > maxLines
  return (
    <>
      <Group justify="space-between">
        <Text size="sm" role="status" fw={started ? 600 : 400}>
          {started ? summaryOf(counts) : previewOf(lines.length, ready.length)}
        </Text>
        <Group gap="xs">
          {running && (
            <Button variant="default" onClick={claims.stop}>
              Stop
            </Button>
          )}
          {!running && counts.remaining > 0 && (
            <Button onClick={() => void claim(results)} disabled={loading || tooLong}>
              {started ? 'Resume' : `Claim ${amount(ready.length, 'device')}`}
            </Button>
          )}
          {!running && started && (
            <Button variant="default" onClick={() => claims.startAgainWith('')}>
              New list
            </Button>
          )}
        </Group>
      </Group>
      {tooLong && <Problem>{`A list can have ${maxLines.toLocaleString('en')} lines. Split this one.`}</Problem>}
      {claims.error && <Problem>{`${claims.error} Resume when it is back: what was claimed stays claimed.`}</Problem>}
      {started && <Progressing {...claims} />}
    </>
  )
}

function Progressing({ phase, error, running, counts, ready: { length: total } }: Claims) {
  return (
    <>
      {!running && !error && counts.remaining > 0 && (
        <Text size="sm" c="dimmed">
          Stopped before the end. Resume claims what remains; no device is claimed twice.
        </Text>
      )}
      {phase.kind === 'waiting' && (
        <Alert color="yellow" icon={<Icon name="clock" />} role="timer" p="xs">
          Rate limit reached. Resuming in {phase.seconds} s
        </Alert>
      )}
      <Progress
        value={(100 * (total - counts.remaining)) / Math.max(total, 1)}
        animated={phase.kind === 'sending'}
        aria-label="Progress"
      />
    </>
  )
}

function Failures({ csv, onEdit, onRetry }: Exclude<Claims['failed'], false>) {
  const { customerId } = useParams()
  const organization = useSession().data?.customers.find(({ id }) => id === customerId)?.name ?? ''
  const name = csvName([organization, 'failed devices', new Date().toISOString().slice(0, 10)])
  return (
    <>
      {onRetry && (
        <Text size="sm" c="dimmed">
          Check MAC, serial number and model against the label. The device must be registered by its partner’s cloud,
          which happens when it first goes online, and must not be claimed by another organization.
        </Text>
      )}
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          onClick={() => saveFile(new Blob(['\ufeff', csv(true)], { type: 'text/csv' }), name)}
        >
          Download failures as CSV
        </Button>
        <Button size="xs" variant="default" onClick={() => onEdit(csv(false))}>
          Edit failed lines
        </Button>
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Retry failed lines
          </Button>
        )}
      </Group>
    </>
  )
}
