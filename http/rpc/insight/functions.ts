/**
 * The functions of PromQL that a bounded query may call: those that read nothing but their arguments. `info` is none of them: it
 * reads `target_info`, which the query does not name, so no matcher could be added to it.
 * The names are Prometheus' (https://prometheus.io/docs/prometheus/latest/querying/functions/); one that is not here is refused.
 */
export const FUNCTIONS: ReadonlySet<string> = new Set(
  `abs absent absent_over_time acos acosh asin asinh atan atanh avg_over_time ceil changes clamp clamp_max clamp_min cos cosh
  count_over_time day_of_month day_of_week day_of_year days_in_month deg delta deriv double_exponential_smoothing end exp
  first_over_time floor histogram_avg histogram_count histogram_fraction histogram_quantile histogram_quantiles
  histogram_stddev histogram_stdvar histogram_sum holt_winters hour idelta increase irate label_join label_replace
  last_over_time ln log10 log2 mad_over_time max_over_time min_over_time minute month pi predict_linear
  present_over_time quantile_over_time rad range rate resets round scalar sgn sin sinh sort sort_by_label
  sort_by_label_desc sort_desc sqrt start start_timestamp stddev_over_time stdvar_over_time step sum_over_time tan tanh
  time timestamp ts_of_first_over_time ts_of_last_over_time ts_of_max_over_time ts_of_min_over_time vector year`.split(
    /\s+/,
  ),
)
