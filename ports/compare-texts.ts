/** The order of texts by their UTF-16 code units, for `sort`: that of Kubernetes for names, which are ASCII, and of no language. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
