import { Select, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useApi } from '../api/api.tsx'
import { ApiError } from '../api/http.ts'
import type { Model } from '../api/partner.ts'
import type { Exchange } from '../components/exchange.tsx'
import { Form, useFields } from '../components/form.tsx'
import { Panel } from '../components/page.tsx'
import { randomMac, randomSerial, registerDevice, type SimulatedDevice } from './simulated-device.ts'

interface RegisterProps {
  models: Model[]
  onExchange: (exchange: Exchange) => void
  onRegistered: (device: SimulatedDevice) => void
}

export function Register({ models, onExchange, onRegistered }: RegisterProps) {
  const api = useApi()
  const [form, fieldsOf] = useFields(() => ({ model_id: null as string | null, mac: randomMac(), sn: randomSerial() }))
  const model_id = form.model_id ?? models[0]?.id ?? null
  const register = useMutation<void, ApiError>({
    mutationFn: async () => {
      const wanted = { ...form, model_id: model_id! }
      const made = await registerDevice(api, wanted)
      onExchange(made)
      const answer = JSON.parse(made.answer)
      if (made.status !== 201) throw new ApiError(made.status, answer, null)
      onRegistered({ ...answer, ...wanted })
    },
  })
  const field = fieldsOf(register.error)
  return (
    <Panel title="1. Register">
      <Form verb="Register a simulated device" change={register} ready={model_id !== null}>
        <Select
          label="Model"
          data={models.map(({ id, name }) => ({ value: id, label: name }))}
          {...field('model_id', 'device_model')}
          value={model_id}
          allowDeselect={false}
        />
        <TextInput label="MAC" {...field('mac')} ff="monospace" />
        <TextInput label="Serial number" {...field('sn')} ff="monospace" />
      </Form>
    </Panel>
  )
}
