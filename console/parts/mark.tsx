/** The logo: three hulls under one sail. */
export const Mark = () => (
  <svg width="26" height="26" viewBox="0 0 26 26" aria-hidden="true" focusable="false">
    <path d="M13 2v14H4z" fill="var(--mantine-color-teal-filled)" />
    <path d="M15 6v10h7z" fill="var(--mantine-color-teal-4)" />
    <path d="M2 18h6l-1 4H4zM10 18h6l-1 4h-4zM18 18h6l-2 4h-3z" fill="var(--mantine-color-teal-filled)" />
  </svg>
)
