import { Stack, Text } from '@mantine/core'
import { areaLabels, areas } from '../form/permissions.ts'
import { type Asked, levelText } from './asked-permissions.ts'

/** What an application asks for, as sentences with the reasons that people read. */
export function AskedList({ asked }: { asked: Asked }) {
  if (asked === null) return <>Everything but commands to devices</>
  const named = areas.filter((area) => asked[area])
  if (named.length === 0) return <>Nothing: it only signs people in</>
  return (
    <Stack component="ul" className="plain-list" gap={6} style={{ overflowWrap: 'anywhere' }}>
      {named.map((area) => (
        <li key={area}>
          {areaLabels[area]}: {levelText(area, asked[area]!.level)}
          <Text size="xs">“{asked[area]!.reason}”</Text>
        </li>
      ))}
    </Stack>
  )
}
