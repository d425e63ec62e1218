import { NumberInput, PasswordInput, Select, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { CommandParameter } from '../../api/commands.ts'
import { parameterLabel, valueText } from './command-words.ts'
import { limitsText, type Typed } from './parameter-values.ts'

interface ParameterFieldsProps {
  parameters: readonly CommandParameter[]
  form: UseFormReturnType<{ values: Typed[] }>
}

/** One field per declared parameter, by its type and limits. */
export function ParameterFields({ parameters, form }: ParameterFieldsProps) {
  return parameters.map((parameter, index) => (
    <ParameterField
      key={parameter.key}
      parameter={parameter}
      field={form.getInputProps(`values.${index}`)}
      first={index === 0}
    />
  ))
}

interface ParameterFieldProps {
  parameter: CommandParameter
  // biome-ignore lint/suspicious/noExplicitAny: as the form library types it
  field: any
  first: boolean
}

function ParameterField({ parameter, field, first }: ParameterFieldProps) {
  const { type, required = false, secret = false } = parameter
  const limits = limitsText(parameter)
  const look = {
    label: parameterLabel(parameter),
    required,
    ...(limits ? { description: limits } : {}),
    inputWrapperOrder: ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[],
    ...(first ? { 'data-autofocus': true } : {}),
  }
  const choices = choicesOf(parameter)
  if (choices) {
    return (
      <Select
        {...look}
        data={choices}
        clearable={!required}
        placeholder={required ? 'Choose' : 'Not set'}
        {...field}
        value={field.value === '' ? null : String(field.value)}
        onChange={(value: string | null) => field.onChange(value ?? '')}
      />
    )
  }
  if (secret) {
    return (
      <PasswordInput
        {...look}
        description={[limits, 'Sent to the device, and not shown again'].filter(Boolean).join('. ')}
        autoComplete="off"
        {...field}
      />
    )
  }
  // A number out of range is said, not silently changed to another one.
  if (type === 'number') return <NumberInput {...look} clampBehavior="none" hideControls {...field} />
  return <TextInput {...look} autoComplete="off" {...field} />
}

function choicesOf({ type, values }: CommandParameter): { value: string; label: string }[] | undefined {
  const given = values?.length ? values : type === 'boolean' ? [true, false] : undefined
  return given?.map((value) => ({ value: String(value), label: valueText(value) }))
}
