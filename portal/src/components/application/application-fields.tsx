import { Select, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ReactNode } from 'react'
import type { Application } from '../../api/partner.ts'

interface NewApplication {
  name: string
  /** One per line. */
  redirect_uris: string
  id_token_alg: Application['id_token_alg']
}

/** What every new application needs, whoever registers it; `children` come before how its tokens are signed. */
export function ApplicationFields<Values extends NewApplication>({
  form,
  children,
}: {
  form: UseFormReturnType<Values>
  children?: ReactNode
}) {
  return (
    <>
      <TextInput
        label="Name"
        description="Shown to customers at consent"
        {...form.getInputProps('name')}
        required
        data-autofocus
      />
      <Textarea
        label="Redirect URIs"
        description="One per line; must match exactly"
        placeholder="https://app.example.com/callback"
        {...form.getInputProps('redirect_uris')}
        autosize
        minRows={2}
        required
      />
      {children}
      <Select
        label="id_token signature"
        data={['RS256', 'ES256']}
        {...form.getInputProps('id_token_alg')}
        allowDeselect={false}
      />
    </>
  )
}

/** The addresses that were typed, for the API. */
export function typedAddresses(text: string): string[] {
  return text.split(/\s+/).filter(Boolean)
}
