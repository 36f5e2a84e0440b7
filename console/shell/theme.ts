import { type CSSVariablesResolver, createTheme } from '@mantine/core'

/** The console's look: quiet surfaces, one colour for what can be done, state colours for what is. */
export const theme = createTheme({
  primaryColor: 'teal',
  // Also in the dark: Mantine chooses the colour of what is written on it by the light one.
  primaryShade: { light: 9, dark: 9 },
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", "Noto Sans", "Noto Sans SC", "PingFang SC", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", "Noto Sans Mono", monospace',
  headings: { fontWeight: '600' },
  cursorType: 'pointer',
  components: {
    // The colour is that of its edge: as text it would be too pale.
    Alert: { styles: { title: { color: 'var(--mantine-color-text)' } } },
    // Without a role its label is read out by nobody.
    Loader: { defaultProps: { role: 'status' } },
    // Kinds in a row are wider than a narrow window.
    SegmentedControl: { styles: { root: { flexWrap: 'wrap' } } },
    // It would write a style into the page, which the page's policy refuses.
    Modal: { defaultProps: { lockScroll: false } },
    Drawer: { defaultProps: { lockScroll: false } },
  },
})

/** Where Mantine's own greys are too pale: quiet text has a contrast of 4.5 to 1 at least (WCAG 2.2, 1.4.3). */
export const readable: CSSVariablesResolver = ({ colors }) => ({
  // A lighter one under the pointer would be too pale for what is written on it.
  variables: {
    '--mantine-primary-color-filled-hover': 'var(--mantine-primary-color-filled)',
    '--mantine-color-teal-filled-hover': 'var(--mantine-color-teal-filled)',
    '--mantine-color-red-filled-hover': 'var(--mantine-color-red-filled)',
  },
  light: { '--mantine-color-dimmed': colors.gray[7], '--mantine-color-placeholder': colors.gray[7] },
  dark: { '--mantine-color-dimmed': colors.dark[1], '--mantine-color-placeholder': colors.dark[1] },
})
