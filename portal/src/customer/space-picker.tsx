import type { Space, SpaceMatch } from '../api/organization.ts'
import { type Choice, Picker, type PickerProps } from '../components/picker.tsx'

interface SpacePickerProps extends PickerProps {
  first?: Choice[]
  /** Neither this space nor one below it. */
  outside?: string
}

/** A space, found by words of its name and of those above it. */
export function SpacePicker({ outside, ...props }: SpacePickerProps) {
  return (
    <Picker<Space | SpaceMatch>
      {...props}
      list="/spaces/search"
      itemAt={(id) => `/spaces/${id}`}
      choiceOf={(space) => ({ value: space.id, label: pathOf(space) })}
      without={(space) => space.id === outside || aboveOf(space).some(({ id }) => id === outside)}
    />
  )
}

const aboveOf = (space: Space | SpaceMatch) => ('above' in space ? space.above : [])

/** `Oslo / Ground floor` */
function pathOf(space: Space | SpaceMatch): string {
  return [...aboveOf(space), space].map(({ name }) => name).join(' / ')
}
