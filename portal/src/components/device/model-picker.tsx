import { Picker, type PickerProps } from '../form/picker.tsx'

/** A model, in the customer's and in the partner's portal; customers see whose it is. */
export function ModelPicker(props: PickerProps) {
  return (
    <Picker<{ id: string; name: string; partner_name?: string }>
      {...props}
      list="/models"
      itemAt={(id) => `/models/${id}`}
      choiceOf={({ id, name, partner_name }) => ({
        value: id,
        label: name,
        ...(partner_name ? { about: partner_name } : {}),
      })}
    />
  )
}
