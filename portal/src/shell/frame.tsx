import {
  ActionIcon,
  Box,
  Burger,
  Group,
  NavLink,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link, useLocation } from 'react-router'
import { Icon } from '../components/page/icon.tsx'
import { watchPrinting } from '../components/page/printing.ts'
import { timeZone } from '../components/page/when.tsx'
import { Banner, NavigationProgress } from './banner.tsx'
import { Brand } from './header.tsx'
import { HelpButton } from './help-button.tsx'
import type { NavGroup, NavItem } from './nav.ts'
import { PaletteButton } from './palette-button.tsx'

watchPrinting()

interface FrameProps {
  nav: NavGroup[]
  switcher: ReactNode
  account: ReactNode
  /** Without an API to search in, and without help about it. */
  plain?: boolean
  children: ReactNode
}

export function Frame({ nav, switcher, account, plain = false, children }: FrameProps) {
  const [opened, { toggle, close }] = useDisclosure()
  const { pathname } = useLocation()
  const main = useRef<HTMLElement>(null)
  const first = useRef(true)
  // On navigation the focus moves to the content, so that screen readers announce it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what changes
  useEffect(() => {
    close()
    if (first.current) first.current = false
    // A dialog that was opened while the page was loading keeps it.
    else if (!document.querySelector('[aria-modal=true]')) main.current?.focus({ preventScroll: true })
  }, [pathname])
  return (
    <div className="frame">
      <header className="frame-header">
        <NavigationProgress />
        <a className="skip-link" href="#content">
          Skip to content
        </a>
        <Group h="100%" justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="xs" wrap="nowrap" style={{ minWidth: 0 }}>
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? 'Close navigation' : 'Open navigation'}
            />
            <Brand alone={!switcher} />
            {switcher}
          </Group>
          <Group gap={4} wrap="nowrap">
            {!plain && <PaletteButton nav={nav} />}
            {!plain && <HelpButton />}
            <SchemeToggle />
            {account}
          </Group>
        </Group>
      </header>
      <nav className="frame-nav" data-opened={opened} aria-label="Main">
        <div className="frame-nav-items">
          {nav.map(({ label, items }) => (
            <Box key={label ?? 'first'} mb="sm">
              {label && (
                <Text size="xs" c="dimmed" fw={600} px="sm" mb={4}>
                  {label}
                </Text>
              )}
              {items.map((item) => (
                <NavLink
                  key={item.to}
                  component={Link}
                  to={item.to}
                  label={item.label}
                  leftSection={<Icon name={item.icon} />}
                  active={isActive(item, pathname)}
                  aria-current={isActive(item, pathname) ? 'page' : undefined}
                  py={7}
                  style={{ borderRadius: 6 }}
                />
              ))}
            </Box>
          ))}
        </div>
        <Text size="xs" c="dimmed" px="sm" mt="auto" pt="xs">
          Time zone: {timeZone}
        </Text>
      </nav>
      <main id="content" className="page-main" ref={main} tabIndex={-1}>
        <Box className="page-content">
          <Banner />
          {children}
        </Box>
      </main>
    </div>
  )
}

function isActive({ to, exact }: NavItem, pathname: string): boolean {
  return pathname === to || (!exact && pathname.startsWith(`${to}/`))
}

function SchemeToggle() {
  const { setColorScheme } = useMantineColorScheme()
  const dark = useComputedColorScheme('light') === 'dark'
  const label = dark ? 'Light mode' : 'Dark mode'
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={label}
      data-tooltip={label}
      onClick={() => setColorScheme(dark ? 'light' : 'dark')}
    >
      <Icon name={dark ? 'sun' : 'moon'} />
    </ActionIcon>
  )
}
