import { NumberInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { CommandFields } from './command-fields.ts'

/** Those of a number or of a text. */
export function ParameterLimits({ form, index }: { form: UseFormReturnType<CommandFields>; index: number }) {
  const type = form.values.parameters[index]?.type
  const field = (name: string) => form.getInputProps(`parameters.${index}.${name}`)
  const look = { hideControls: true, style: { flex: 1, minWidth: 90 } }
  if (type === 'boolean') return null
  if (type === 'text') {
    return <NumberInput label="Longest text" min={1} allowDecimal={false} {...look} {...field('max_length')} />
  }
  return (
    <>
      <NumberInput label="Minimum" {...look} {...field('min')} />
      <NumberInput label="Maximum" {...look} {...field('max')} />
    </>
  )
}
