import { ApiKeys } from '../components/api-keys.tsx'

export function CustomerApiKeys() {
  return (
    <ApiKeys about="A key has this organization’s full administrative reach over the organization API. Only an administrator signed in here can make or end one." />
  )
}
