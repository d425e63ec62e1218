import { Badge, Button, FileButton, Group, Paper, Progress, Select, Stack, Table, Text, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useApi } from '../api/api.tsx'
import type { Model, Space } from '../api/organization.ts'
import { Icon } from '../components/icon.tsx'
import { type ClaimLine, parseClaimLines } from './claim-lines.ts'
import { type ClaimResult, useClaimList } from './claim-list.ts'
import { spaceOptions } from './space-tree.ts'

const example =
  '00:1b:44:11:3a:b7, SN-1001\n001B.4411.3AB8; SN-1002\nA header row may name the columns: mac,serial,model,name'

export function ClaimMany({ models, spaces }: { models: Model[]; spaces: Space[] }) {
  const api = useApi()
  const client = useQueryClient()
  const [text, setText] = useState('')
  const [modelId, setModelId] = useState<string | null>(models.length === 1 ? models[0]!.id : null)
  const [spaceId, setSpaceId] = useState<string | null>(null)
  const lines = useMemo(() => parseClaimLines(text), [text])
  const modelOf = (line: ClaimLine) => {
    if (!line.model) return modelId
    const wanted = line.model.toLowerCase()
    return models.find(({ id, name }) => id === wanted || name.toLowerCase() === wanted)?.id ?? null
  }
  const problemOf = (line: ClaimLine): string | null => {
    if (!line.mac) return 'No valid MAC address'
    if (!line.sn) return 'Serial number missing'
    if (!modelOf(line)) return line.model ? `Unknown model “${line.model}”` : 'Choose a model above'
    return null
  }
  const { results, running, run, stop, reset } = useClaimList((line) =>
    api.post('/devices/claim', {
      mac: line.mac,
      sn: line.sn,
      model_id: modelOf(line),
      ...(line.name ? { name: line.name } : {}),
      ...(spaceId ? { space_id: spaceId } : {}),
    }),
  )
  const setList = (list: string) => {
    setText(list)
    reset()
  }
  const kinds = [...results.values()].map(({ kind }) => kind)
  const claimed = kinds.filter((kind) => kind === 'claimed').length
  const failed = kinds.filter((kind) => kind === 'failed').length
  const ready = lines.filter((line) => !problemOf(line))
  const todo = ready.filter(({ line }) => results.get(line)?.kind !== 'claimed')
  const claimAll = async () => {
    await run(todo)
    await client.invalidateQueries({ queryKey: [api.name] })
  }

  return (
    <Stack gap="sm">
      <Group align="flex-end">
        <Select
          label="Model"
          description="For lines without a model"
          placeholder="Choose a model"
          data={models.map(({ id, name }) => ({ value: id, label: name }))}
          value={modelId}
          onChange={setModelId}
          searchable
          w={260}
        />
        <Select
          label="Space"
          description="Optional"
          placeholder="No space"
          data={spaceOptions(spaces)}
          value={spaceId}
          onChange={setSpaceId}
          clearable
          searchable
          w={220}
        />
        <FileButton
          accept=".csv,.txt,text/csv,text/plain"
          onChange={async (file) => {
            if (file) setList(await file.text())
          }}
        >
          {(props) => (
            <Button {...props} variant="default" leftSection={<Icon name="upload" size={16} />}>
              Upload a CSV file
            </Button>
          )}
        </FileButton>
      </Group>
      <Textarea
        label="MAC and serial number, one device per line"
        placeholder={example}
        value={text}
        onChange={(event) => setList(event.currentTarget.value)}
        autosize
        minRows={4}
        maxRows={10}
        spellCheck={false}
        ff="monospace"
        disabled={running}
      />
      {lines.length > 0 && (
        <>
          <Group justify="space-between">
            <Text size="sm" role="status">
              {results.size === 0
                ? `${lines.length} lines, ${ready.length} ready to claim`
                : `${claimed} claimed, ${failed} failed, ${ready.length - claimed - failed} remaining`}
            </Text>
            {running ? (
              <Button variant="default" onClick={stop}>
                Stop
              </Button>
            ) : (
              <Button onClick={() => void claimAll()} disabled={todo.length === 0}>
                {failed > 0 ? 'Retry failed lines' : `Claim ${todo.length} ${todo.length === 1 ? 'device' : 'devices'}`}
              </Button>
            )}
          </Group>
          {results.size > 0 && (
            <Progress
              value={(100 * (claimed + failed)) / Math.max(ready.length, 1)}
              animated={running}
              aria-label="Progress"
            />
          )}
          <Paper withBorder>
            <Table.ScrollContainer minWidth={0} mah={420} type="native">
              <Table aria-label="Lines to claim">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th w={50}>Line</Table.Th>
                    <Table.Th>MAC and serial</Table.Th>
                    <Table.Th>Result</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {lines.slice(0, 1_000).map((line) => (
                    <Table.Tr key={line.line}>
                      <Table.Td c="dimmed">{line.line}</Table.Td>
                      <Table.Td ff="monospace" fz="xs">
                        {line.mac ?? line.text.slice(0, 24)}
                        <br />
                        {line.sn}
                      </Table.Td>
                      <Table.Td>
                        <LineResult result={results.get(line.line)} problem={problemOf(line)} />
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          </Paper>
        </>
      )}
    </Stack>
  )
}

function LineResult({ result, problem }: { result: ClaimResult | undefined; problem: string | null }) {
  if (result?.kind === 'claimed') return <Badge color="green">Claimed</Badge>
  if (result?.kind === 'pending') return <Badge color="gray">Claiming…</Badge>
  if (result?.kind === 'rate_limited')
    return <Badge color="yellow">Rate limit reached. Resuming in {result.seconds} s</Badge>
  const reason = result?.kind === 'failed' ? result.reason : problem
  if (reason) {
    return (
      <Text size="xs" c="var(--mantine-color-error)">
        {reason}
      </Text>
    )
  }
  return (
    <Text size="xs" c="dimmed">
      Ready
    </Text>
  )
}
