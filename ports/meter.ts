/** Labels of one time series; values are few and never come from callers. */
export type Labels = Readonly<Record<string, string>>

/**
 * What the product counts, by the metric names of `http/health/metrics.ts` (the one place that declares them, with help text).
 * Unknown names throw: a metric is declared before it is used.
 */
export interface Meter {
  /** Adds to a counter, by 1 by default. */
  count(name: string, labels?: Labels, by?: number): void
  /** Sets a gauge. */
  gauge(name: string, value: number, labels?: Labels): void
  /** Records a duration in seconds in a histogram. */
  observe(name: string, seconds: number, labels?: Labels): void
}
