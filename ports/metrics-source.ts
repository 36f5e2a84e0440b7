/** One series with its values: milliseconds since 1970-01-01 UTC, and the number as text, also `NaN` and `+Inf`. */
export interface MetricSeries {
  readonly labels: Readonly<Record<string, string>>
  readonly values: readonly (readonly [milliseconds: number, value: string])[]
}

/** What a query gave. */
export interface MetricsAnswer {
  readonly series: readonly MetricSeries[]
  /** What the source says of its answer, such as a part that it could not read. */
  readonly warnings: readonly string[]
}

/** Where metrics are queried: an HTTP API of Prometheus. All of it throws ServiceError, and the signal's reason when that aborts. */
export interface MetricsSource {
  /**
   * Evaluates PromQL at one instant; each series has one value. A number is one series without labels.
   * @param at seconds since 1970-01-01 UTC; now where it is absent
   */
  instant(query: string, at: string | undefined, signal: AbortSignal): Promise<MetricsAnswer>
  /** Evaluates PromQL over a range, whose ends are seconds since 1970-01-01 UTC and whose step is in seconds. */
  range(
    query: string,
    range: { readonly start: string; readonly end: string; readonly step: string },
    signal: AbortSignal,
  ): Promise<MetricsAnswer>
}
