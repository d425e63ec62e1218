import { useApi, usePages, useRead } from '../../api/api.tsx'
import { Picker, type PickerProps } from '../form/picker.tsx'

/** A model, in the customer's and in the partner's portal; customers see whose it is. */
export function ModelPicker(props: PickerProps) {
  return (
    <Picker
      {...props}
      useFound={useModels}
      useOne={useModel}
      choiceOf={(model) => ({
        value: model.id,
        label: model.name,
        ...('partner_name' in model ? { about: model.partner_name } : {}),
      })}
    />
  )
}

function useModels(search: { limit: number; search: string | undefined }) {
  const { kind } = useApi('organization', 'partner')
  return usePages(`GET /core/v1/${kind}/models`, search)
}

function useModel(id: string, options: { enabled: boolean }) {
  const { kind } = useApi('organization', 'partner')
  return useRead(`GET /core/v1/${kind}/models/{id}`, { id }, options)
}
