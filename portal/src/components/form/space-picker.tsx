import { usePages, useRead } from '../../api/api.tsx'
import type { SpaceMatch, SpaceSummary } from '../../api/organization.ts'
import { type Choice, Picker, type PickerProps } from './picker.tsx'

interface SpacePickerProps extends PickerProps {
  first?: Choice[]
  /** Neither this space nor one below it. */
  outside?: string
}

/** A space, found by words of its name and of those above it. */
export function SpacePicker({ outside, ...props }: SpacePickerProps) {
  return (
    <Picker<SpaceSummary | SpaceMatch>
      {...props}
      useFound={useSpaces}
      useOne={useSpace}
      choiceOf={(space) => ({ value: space.id, label: pathOf(space) })}
      without={(space) => space.id === outside || aboveOf(space).some(({ id }) => id === outside)}
    />
  )
}

function useSpaces(search: { limit: number; search: string | undefined }) {
  return usePages('GET /core/v1/organization/spaces/search', search)
}

function useSpace(id: string, options: { enabled: boolean }) {
  return useRead('GET /core/v1/organization/spaces/{id}/summary', { id }, options)
}

const aboveOf = (space: SpaceSummary | SpaceMatch) => ('above' in space ? space.above : [])

/** `Oslo / Ground floor` */
function pathOf(space: SpaceSummary | SpaceMatch): string {
  return [...aboveOf(space), space].map(({ name }) => name).join(' / ')
}
