/** Makes a table that is wider than its window focusable, so that the keyboard can scroll it (WCAG 2.2, 2.1.1). */
export const SCROLLABLE = { viewportProps: { tabIndex: 0 } } as const
