/** A coloured dot beside a text. It is hidden from screen readers, because the text says the same. */
export const Dot = ({ color }: { readonly color: string }) => (
  <svg width="8" height="8" aria-hidden="true" focusable="false" style={{ flex: 'none' }}>
    <circle cx="4" cy="4" r="4" fill={`var(--mantine-color-${color}-filled)`} />
  </svg>
)
