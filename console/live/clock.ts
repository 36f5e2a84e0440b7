/** Timers and the time, as a test can give them. */
export interface Clock {
  now(): number
  later(then: () => void, ms: number): () => void
}

export const clock: Clock = {
  now: Date.now,
  later: (then, ms) => {
    const timer = setTimeout(then, ms)
    return () => clearTimeout(timer)
  },
}
