import { Text } from '@mantine/core'
import { Icon } from '../page/icon.tsx'

/** The domain that the partner has proven to be its own, or that it has not. */
export function PartnerDomain({ domain }: { domain: string | null }) {
  if (domain === null) return <>domain not verified</>
  return (
    <Text span inherit style={{ overflowWrap: 'anywhere' }}>
      <Icon name="check" size={13} /> {domain} (verified)
    </Text>
  )
}
