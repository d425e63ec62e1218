import { Alert, Button, FileButton, Textarea, type TextareaProps } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../components/page/icon.tsx'
import { decodeList } from './claim-lines.ts'

/** A list that is typed, pasted or uploaded, one thing per line. */
export function ListField({ onType, ...field }: TextareaProps & { onType: (text: string) => void }) {
  return (
    <Textarea
      onChange={(event) => onType(event.currentTarget.value)}
      autosize
      minRows={4}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      {...field}
    />
  )
}

/** The button that reads a list from a file, and what is wrong with the file. */
export function useListFile(maxMegabytes: number, onRead: (text: string) => void) {
  const [error, setError] = useState<string | null>(null)
  const read = async (file: File | null) => {
    if (!file) return
    const tooLarge = file.size > maxMegabytes * 1024 * 1024
    setError(tooLarge ? `The file is larger than ${maxMegabytes} MB.` : null)
    if (!tooLarge) onRead(decodeList(await file.arrayBuffer()))
  }
  const button = (
    <FileButton accept=".csv,.txt,text/csv,text/plain" onChange={read}>
      {(props) => (
        <Button {...props} variant="default" leftSection={<Icon name="upload" size={16} />}>
          Upload a CSV file
        </Button>
      )}
    </FileButton>
  )
  return { button, error }
}

export function Problem({ children }: { children: string }) {
  return (
    <Alert color="red" icon={<Icon name="alert" />} role="alert" p="xs">
      {children}
    </Alert>
  )
}
