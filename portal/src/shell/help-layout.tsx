import { Text } from '@mantine/core'
import { Frame } from './frame.tsx'
import { Pages } from './layouts.tsx'
import { guideNav } from './nav.ts'

/** The guides are for everybody, signed in or not. */
export function HelpLayout() {
  return (
    <Frame
      plain
      nav={guideNav}
      switcher={
        <Text size="sm" fw={600} px={8}>
          Guides
        </Text>
      }
      account={null}
    >
      <Pages />
    </Frame>
  )
}
