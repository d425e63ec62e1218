import { PasswordInput, type PasswordInputProps, TextInput, type TextInputProps } from '@mantine/core'

export const nobody = { person: '', email: '', password: '' }

interface FirstPersonProps {
  label: string
  name: TextInputProps
  email: TextInputProps
  password: PasswordInputProps
}

/** Whoever is born with a partner or a customer and lets the others in. */
export function FirstPerson({ label, name, email, password }: FirstPersonProps) {
  return (
    <>
      <TextInput label={label} {...name} required />
      <TextInput label="Email" type="email" {...email} required />
      <PasswordInput
        label="Password"
        description="10 characters or more. If the email has an account already, this password is not used: hand over the link under Invitations, and its owner joins after signing in."
        {...password}
        autoComplete="new-password"
        required
      />
    </>
  )
}
