/** Timers and the time. Tests replace them. */
export interface Clock {
  now(): number
  later(callback: () => void, ms: number): () => void
}

export const clock: Clock = {
  now: Date.now,
  later: (callback, ms) => {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}
