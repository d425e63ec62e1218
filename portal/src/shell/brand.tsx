import { Group, Text } from '@mantine/core'
import { Link } from 'react-router'

const told = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content
const name = told('brand') ?? 'Landbridge'
const logo = told('brand-logo')

/** The partner whose portal domain this is, by name and logo; ours where it is nobody's. */
export function Brand() {
  return (
    <Link to="/" aria-label={`${name}: home`} style={{ color: 'inherit', textDecoration: 'none' }}>
      <Group gap={8} wrap="nowrap">
        {logo ? <img className="brand-logo" src={logo} alt="" /> : <Mark />}
        <Text fw={700} visibleFrom="sm" style={{ whiteSpace: 'nowrap' }}>
          {name}
        </Text>
      </Group>
    </Link>
  )
}

/** Two shores and the strip between them. */
function Mark() {
  return (
    <svg aria-hidden="true" width={26} height={26} viewBox="0 0 26 26">
      <rect width={26} height={26} rx={7} fill="var(--brand-6)" />
      <path d="M5 8.5v9M21 8.5v9M5 13h16" stroke="#fff" strokeWidth={2.4} strokeLinecap="round" fill="none" />
    </svg>
  )
}
