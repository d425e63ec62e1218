import { ActionIcon, Button, Group, Popover, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { useChangeAddress } from '../page/address.ts'
import { Icon, type IconName } from '../page/icon.tsx'
import { shortTime, timeZone } from '../page/when.tsx'
import { lastRanges, readTimeRange, spanOf, type TimeRange, writeTimeRange } from './time-range.ts'

/** The range in the address. Each change is a step of the browser's history: Back undoes a zoom. */
export function useTimeRange(initial = '1h'): [TimeRange, (range: TimeRange) => void] {
  const [search] = useSearchParams()
  const changeAddress = useChangeAddress()
  const setRange = (range: TimeRange) => changeAddress((now) => writeTimeRange(now, range, initial))
  return [useMemo(() => readTimeRange(search, initial), [search, initial]), setRange]
}

interface RangePickerProps {
  range: TimeRange
  onChange: (range: TimeRange) => void
  /** What else can be done with the range. */
  children?: ReactNode
}

/** The last minutes to days, two instants of one's own, and steps from there. */
export function RangePicker({ range, onChange, children }: RangePickerProps) {
  const { from, to } = spanOf(range)
  const length = to - from
  const chosen = 'last' in range ? lastRanges.find(({ seconds }) => seconds === range.last) : undefined
  const ended = 'last' in range || to >= Date.now() / 1000
  return (
    <Group gap={6} wrap="wrap">
      <Step icon="left" label="Earlier" onClick={() => onChange({ from: from - length / 2, to: to - length / 2 })} />
      <Step
        icon="right"
        label="Later"
        disabled={ended}
        onClick={() => onChange({ from: from + length / 2, to: to + length / 2 })}
      />
      <Step
        icon="zoomIn"
        label="Zoom in"
        disabled={length < 4}
        onClick={() => onChange({ from: from + length / 4, to: to - length / 4 })}
      />
      <Step
        icon="zoomOut"
        label="Zoom out"
        onClick={() => onChange({ from: from - length / 2, to: Math.min(to + length / 2, Date.now() / 1000) })}
      />
      <SegmentedControl
        size="xs"
        aria-label="Range"
        data={lastRanges}
        // Nothing is chosen while other instants are shown.
        value={chosen?.value ?? ''}
        onChange={(value) => onChange({ last: lastRanges.find((one) => one.value === value)!.seconds })}
      />
      <CustomRange {...{ range, onChange }} />
      {children}
    </Group>
  )
}

interface StepProps {
  icon: IconName
  label: string
  disabled?: boolean
  onClick: () => void
}

function Step({ icon, label, disabled = false, onClick }: StepProps) {
  return (
    <ActionIcon
      variant="default"
      size={28}
      aria-label={label}
      data-tooltip={label}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} size={15} />
    </ActionIcon>
  )
}

function CustomRange({ range, onChange }: RangePickerProps) {
  const [open, setOpen] = useState(false)
  const [start, setStart] = useState('')
  const [end, setEnd] = useState('')
  const begin = () => {
    const { from, to } = spanOf(range)
    setStart(localText(from))
    setEnd(localText(to))
    setOpen(!open)
  }
  const wanted = { from: secondsOf(start), to: secondsOf(end) }
  const valid = wanted.from < wanted.to
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" trapFocus shadow="md">
      <Popover.Target>
        <Button
          size="xs"
          variant={'from' in range ? 'light' : 'default'}
          onClick={begin}
          leftSection={<Icon name="clock" size={14} />}
        >
          {'from' in range ? [range.from, range.to].map((at) => shortTime(new Date(at * 1000))).join(' – ') : 'Custom'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (!valid) return
            setOpen(false)
            onChange(wanted)
          }}
        >
          <Stack gap="xs">
            <TextInput
              label="From"
              description={timeFormat}
              value={start}
              onChange={(event) => setStart(event.currentTarget.value)}
              error={Number.isNaN(wanted.from) && formatProblem}
            />
            <TextInput
              label="To"
              description={timeFormat}
              value={end}
              onChange={(event) => setEnd(event.currentTarget.value)}
              error={
                Number.isNaN(wanted.to) ? formatProblem : wanted.from >= wanted.to && 'Choose a time after the start.'
              }
            />
            <Text size="xs" c="dimmed">
              Times are in {timeZone}.
            </Text>
            <Button type="submit" size="xs" disabled={!valid}>
              Show
            </Button>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}

// Plain text: a browser's own field for times follows the browser's language, not that of the page.
const timeFormat = 'YYYY-MM-DD HH:MM'
const formatProblem = 'Enter a time such as 2026-03-01 12:30.'

function secondsOf(text: string): number {
  return /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}$/.test(text.trim())
    ? Date.parse(text.trim().replace(' ', 'T')) / 1000
    : Number.NaN
}

/** `2026-03-01 12:30` */
function localText(seconds: number): string {
  const date = new Date(seconds * 1000)
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16).replace('T', ' ')
}
