import { PickerFilter, type useFilters } from '../table/filters.tsx'
import { SeveralFilter } from '../table/several-filter.tsx'
import { ModelPicker } from './model-picker.tsx'
import { statuses } from './status.tsx'

type Filters<Name extends string> = ReturnType<typeof useFilters<Name>>

export function StatusFilter<Name extends string>({ filters }: { filters: Filters<Name | 'status'> }) {
  return (
    <SeveralFilter filters={filters} name="status" label="Status" placeholder="Any status" data={statuses} w={160} />
  )
}

export function ModelFilter<Name extends string>({ filters, w }: { filters: Filters<Name | 'model_id'>; w: number }) {
  return (
    <PickerFilter filters={filters} name="model_id" label="Model" placeholder="Any model" picker={ModelPicker} w={w} />
  )
}
