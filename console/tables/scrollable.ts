/** A table that is wider than its window is scrolled with the keyboard, too: it can be focused (WCAG 2.2, 2.1.1). */
export const SCROLLABLE = { viewportProps: { tabIndex: 0 } } as const
