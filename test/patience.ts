import { vi } from 'vitest'

/**
 * How long tests wait for what must happen, in milliseconds. Far above what it takes on the slowest machine: reaching it
 * means failure, and slowness does not. Below the test timeout of `vitest.config.ts`, so that the failure says what was
 * waited for.
 */
export const PATIENCE_MS = 120_000

/** Waits until a check no longer throws. `vi.waitFor` alone gives up after one second, which a busy machine needs for itself. */
export const waitFor = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: PATIENCE_MS, interval: 20 })

/**
 * Milliseconds between the looks at a condition that costs requests: soon at first, then less often, because each look takes CPU from
 * what is waited for, and from the tests beside it.
 */
export function* pauses(): Generator<number, never> {
  for (let ms = 10; ; ms = Math.min(ms * 1.25, 150)) yield ms
}
