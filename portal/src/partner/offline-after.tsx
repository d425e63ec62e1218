import { NumberInput, type NumberInputProps } from '@mantine/core'

export function OfflineAfter(field: NumberInputProps) {
  return (
    <NumberInput
      label="Offline after"
      description="Seconds of silence after which a device counts as offline; a device sends every 30 to 60"
      suffix=" s"
      min={10}
      max={604_800}
      required
      {...field}
    />
  )
}
