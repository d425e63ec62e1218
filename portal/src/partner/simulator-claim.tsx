import { Alert, Anchor, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from 'react-router'
import { callsOf, customerApi, useRead } from '../api/api.tsx'
import type { ApiError } from '../api/http.ts'
import type { PartnerInfo } from '../api/partner.ts'
import { Form } from '../components/form.tsx'
import { Icon } from '../components/icon.tsx'
import { Panel } from '../components/page.tsx'
import type { SimulatedDevice } from './simulated-device.ts'

/** The customer's side of it, in the tenant that is there for trying. */
export function ClaimInLab({ device: { id, mac, sn, model_id } }: { device: SimulatedDevice }) {
  const lab = useRead<PartnerInfo>('/info').data?.lab_customer_id
  const claim = useMutation<unknown, ApiError>({
    mutationFn: () => callsOf(customerApi(lab!)).post('/devices/claim', { mac, sn, model_id, name: `Simulated ${sn}` }),
  })
  if (!lab) return null
  return (
    <Panel title="3. Claim it in the lab">
      {claim.isSuccess ? (
        <Alert color="green" p="xs" icon={<Icon name="check" />}>
          Claimed.{' '}
          <Anchor component={Link} to={`/customer/${lab}/devices/${id}`} size="sm">
            Open it as the customer sees it
          </Anchor>
        </Alert>
      ) : (
        <Form verb="Claim for the lab tenant" change={claim}>
          <Text size="sm">As a customer would, by MAC, serial number and model.</Text>
        </Form>
      )}
    </Panel>
  )
}
