import { Anchor, Avatar } from '@mantine/core'

interface Shown {
  name: string
  logo: string | null
}

/** The application's logo, or the first letter of its name. */
export function AppLogo({ app: { name, logo }, size = 'md' }: { app: Shown; size?: string }) {
  return (
    <Avatar src={logo} radius="md" color="brand" size={size} alt="" aria-hidden="true" className="app-logo">
      {[...name][0]?.toUpperCase()}
    </Avatar>
  )
}

export function HomePage({ address }: { address: string }) {
  return (
    <Anchor href={address} target="_blank" rel="noopener noreferrer" size="sm" underline="always">
      {new URL(address).host}
    </Anchor>
  )
}
