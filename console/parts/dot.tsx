/** A round mark. It says nothing that the text beside it does not. */
export const Dot = ({ color }: { readonly color: string }) => (
  <svg width="8" height="8" aria-hidden="true" focusable="false" style={{ flex: 'none' }}>
    <circle cx="4" cy="4" r="4" fill={`var(--mantine-color-${color}-filled)`} />
  </svg>
)
