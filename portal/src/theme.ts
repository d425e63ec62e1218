import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'

const brand = Array.from({ length: 10 }, (_, shade) => `var(--brand-${shade})`) as unknown as MantineColorsTuple

/** One accent colour, the partner's. */
export const theme = createTheme({
  primaryColor: 'brand',
  primaryShade: { light: 6, dark: 6 },
  colors: { brand },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.375rem' }, h2: { fontSize: '1.05rem' }, h3: { fontSize: '0.95rem' } },
  },
  components: {
    Button: { defaultProps: { size: 'sm' } },
    TextInput: { defaultProps: { size: 'sm' } },
    // A status must never be truncated.
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 500, miw: 'max-content' } },
    Table: { defaultProps: { verticalSpacing: 8, horizontalSpacing: 'sm' } },
    // Every option can be searched for; more than these would make the list slow.
    Select: { defaultProps: { limit: 200, nothingFoundMessage: 'No match' } },
    MultiSelect: { defaultProps: { limit: 200, nothingFoundMessage: 'No match' } },
    Tooltip: { defaultProps: { withArrow: true } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
        closeButtonProps: { 'aria-label': 'Close' },
        // The page has one banner, and that of a dialog is not it.
        attributes: { header: { role: 'presentation' } },
        styles: { title: { fontWeight: 600, lineHeight: 1.35, overflowWrap: 'anywhere' } },
      },
    },
  },
})

/** Mantine's greys for secondary text miss the contrast of 4.5:1, and its light fills are too bright in dark mode. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#59616a',
    '--mantine-color-placeholder': '#6a727b',
    '--mantine-color-anchor': 'var(--brand-6)',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-green-light-color': '#14532a',
    '--mantine-color-red-light-color': '#8f1d1d',
    '--mantine-color-yellow-light-color': '#5c4000',
    '--mantine-color-gray-light-color': '#3f454b',
  },
  dark: {
    '--mantine-color-body': '#16181b',
    '--mantine-color-text': '#dfe3e7',
    '--mantine-color-dimmed': '#a3a9b1',
    '--mantine-color-placeholder': '#959ba3',
    '--mantine-color-anchor': 'var(--brand-4)',
    '--mantine-color-brand-text': 'var(--brand-4)',
    '--mantine-color-brand-light-color': 'var(--brand-4)',
    '--mantine-color-brand-light': 'color-mix(in oklab, var(--brand-4) 16%, transparent)',
    '--mantine-color-brand-light-hover': 'color-mix(in oklab, var(--brand-4) 22%, transparent)',
    '--mantine-color-yellow-light': '#ffd43b1f',
    '--mantine-color-yellow-light-color': '#ffe08a',
    '--mantine-color-red-light': '#ff6b6b29',
    '--mantine-color-red-light-hover': '#ff6b6b3d',
    '--mantine-color-red-light-color': '#ffb3b3',
    '--mantine-color-green-light': '#51cf6626',
    '--mantine-color-green-light-color': '#9be8a8',
    '--mantine-color-gray-light': '#ffffff17',
    '--mantine-color-gray-light-hover': '#ffffff24',
    '--mantine-color-brand-outline': 'var(--brand-4)',
    '--mantine-color-error': '#ff8787',
  },
})

/** Distinguishable with colour blindness (after Okabe and Ito), and readable on white and on black. */
const seriesColors = ['#0072b2', '#c2570c', '#00825e', '#b0578a', '#8a6d00', '#2f8fc4']

export function seriesColor(index: number): string {
  return seriesColors[index % seriesColors.length]!
}
