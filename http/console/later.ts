/** Calls `callback` after so many milliseconds. @returns a function that cancels it */
export type Later = (callback: () => void, ms: number) => () => void
