import { performance } from 'node:perf_hooks'

/**
 * Begins to measure the event loop. @returns a function that says which part of the time since then it was at work, from 0 to 1;
 * the rest of the time it waited for something outside
 */
export function measureBusyness(): () => number {
  const before = performance.eventLoopUtilization()
  return () => performance.eventLoopUtilization(before).utilization
}
