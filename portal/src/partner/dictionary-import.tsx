import { Alert, Button, FileButton, Group, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { type ApiError, sentenceOf } from '../api/http.ts'
import type { DictionaryEntry } from '../api/partner.ts'
import { Dialog } from '../components/form/dialog.tsx'
import { Icon } from '../components/page/icon.tsx'
import type { DictionaryDraft } from './dictionary-draft.ts'
import { problemSentence } from './dictionary-problems.ts'
import { JsonProblem, type ParsedJson, parseJsonWithLines } from './json-lines.ts'

const example = `{
  "data_points": [
    { "key": "temperature", "type": "number", "label": "Temperature", "unit": "°C", "decimals": 1 }
  ]
}`

/** The service's own limit: a larger file is no dictionary, and would keep the page busy. */
const maxBytes = 256 * 1024

/** Replaces the whole dictionary by a JSON document, and says on which line it is wrong. */
export function ImportDictionary({ draft, onClose }: { draft: DictionaryDraft; onClose: () => void }) {
  const [text, setText] = useState('')
  const [problems, setProblems] = useState<string[]>([])
  const change = (next: string) => {
    setText(next)
    setProblems([])
  }
  const readFile = async (file: File | null) => {
    if (!file) return
    if (file.size > maxBytes) setProblems([`${file.name} is larger than 256 KB.`])
    else change(await file.text())
  }
  const submit = async () => {
    const read = readDocument(text)
    if (typeof read === 'string') {
      setProblems([read])
      return
    }
    try {
      await draft.replace(read.entries)
      onClose()
    } catch (error) {
      setProblems(problemsByLine(read, error as ApiError))
    }
  }
  const saved = draft.saved.data?.entries.length ?? 0
  return (
    <Dialog title="Import JSON" onClose={onClose} size="xl">
      <Stack gap="sm">
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            The same format as Export JSON and the API. {saved > 0 && `It replaces all ${saved} entries.`}
          </Text>
          <FileButton onChange={(file) => void readFile(file)} accept="application/json,.json">
            {(props) => (
              <Button {...props} variant="default" size="xs" leftSection={<Icon name="upload" size={14} />}>
                Choose file
              </Button>
            )}
          </FileButton>
        </Group>
        <Textarea
          aria-label="JSON document"
          placeholder={example}
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
          autosize
          minRows={8}
          maxRows={18}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
          data-autofocus
        />
        {problems.length > 0 && (
          <Alert color="red" icon={<Icon name="alert" />} role="alert" p="xs">
            {problems.map((problem) => (
              <Text key={problem} size="sm" style={{ overflowWrap: 'anywhere' }}>
                {problem}
              </Text>
            ))}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button onClick={() => void submit()} loading={draft.isSaving} disabled={text.trim() === ''}>
            Import and save
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

interface ReadDocument extends Pick<ParsedJson, 'lines'> {
  entries: DictionaryEntry[]
}

/** The entries, whatever is in them, or why the text is not a document. */
function readDocument(text: string): ReadDocument | string {
  try {
    const { value, lines } = parseJsonWithLines(text)
    const entries = (value as { data_points?: unknown } | null)?.data_points
    if (!Array.isArray(entries)) return 'The document must be an object with a list named data_points.'
    return { entries, lines }
  } catch (error) {
    if (error instanceof JsonProblem) return `Line ${error.line}: ${error.message}.`
    throw error
  }
}

function problemsByLine({ entries, lines }: ReadDocument, error: ApiError): string[] {
  if (error.details.length === 0) return [sentenceOf(error)]
  return error.details.map((detail) => `${linePrefix(lines, detail.field)}${problemSentence(entries, detail)}`)
}

/** A field that is missing is named by the line of what should have it. */
function linePrefix(lines: ReadDocument['lines'], field: string): string {
  const steps = field.split('.')
  for (let length = steps.length; length > 0; length -= 1) {
    const line = lines.get(steps.slice(0, length).join('.'))
    if (line !== undefined) return `Line ${line}, `
  }
  return ''
}
