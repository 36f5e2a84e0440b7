import { type CSSVariablesResolver, createTheme } from '@mantine/core'

/** The console's theme: quiet surfaces, one colour for actions, other colours for states. */
export const theme = createTheme({
  primaryColor: 'teal',
  // The same shade in dark mode: Mantine chooses the text colour on it by the light one.
  primaryShade: { light: 9, dark: 9 },
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", "Noto Sans", "Noto Sans SC", "PingFang SC", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", "Noto Sans Mono", monospace',
  headings: { fontWeight: '600' },
  cursorType: 'pointer',
  components: {
    // The alert's colour is for its border: as text it would be too pale.
    Alert: { styles: { title: { color: 'var(--mantine-color-text)' } } },
    // Screen readers read a label only of an element with a role.
    Loader: { defaultProps: { role: 'status' } },
    // A row of kinds is wider than a narrow window.
    SegmentedControl: { styles: { root: { flexWrap: 'wrap' } } },
    // Scroll lock adds an inline style, which the page's Content-Security-Policy refuses.
    Modal: { defaultProps: { lockScroll: false } },
    Drawer: { defaultProps: { lockScroll: false } },
  },
})

/** Replaces Mantine's greys that are too pale: dimmed text needs a contrast of 4.5 to 1 (WCAG 2.2, 1.4.3). */
export const readable: CSSVariablesResolver = ({ colors }) => ({
  // A lighter colour on hover would be too pale for the text on it.
  variables: {
    '--mantine-primary-color-filled-hover': 'var(--mantine-primary-color-filled)',
    '--mantine-color-teal-filled-hover': 'var(--mantine-color-teal-filled)',
    '--mantine-color-red-filled-hover': 'var(--mantine-color-red-filled)',
  },
  light: { '--mantine-color-dimmed': colors.gray[7], '--mantine-color-placeholder': colors.gray[7] },
  dark: { '--mantine-color-dimmed': colors.dark[1], '--mantine-color-placeholder': colors.dark[1] },
})
