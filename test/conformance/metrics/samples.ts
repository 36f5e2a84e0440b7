/** When the samples begin: seconds since 1970-01-01 UTC. */
export const BEGIN = 1_600_000_000
/** Seconds between two samples of a series, and how many there are of each. */
export const STEP = 15
export const COUNT = 41

/** The label that names the instance of a series. */
export const INSTANCE_LABEL = 'kairship_instance'

interface Series {
  readonly metric: string
  readonly labels: Readonly<Record<string, string>>
  readonly valueAt: (index: number) => string
}

/** The series of one instance. No two instances have a value in common, but what is no number. */
const seriesOf = (instance: string, base: number): readonly Series[] => [
  ...['GET', 'POST'].map((method, index) => ({
    metric: 'requests_total',
    labels: { job: 'api', method },
    valueAt: (at: number) => String(base + at * (index + 1)),
  })),
  ...['north', 'south'].map((zone, index) => ({
    metric: 'temperature',
    labels: { job: 'sensor', zone, owner: `owner-of-${instance}` },
    valueAt: (at: number) => String(base + index + ((at * 7) % 11) / 4),
  })),
  { metric: 'odd', labels: { kind: 'nan' }, valueAt: () => 'NaN' },
  { metric: 'odd', labels: { kind: 'high' }, valueAt: () => '+Inf' },
  { metric: 'odd', labels: { kind: 'low' }, valueAt: () => '-Inf' },
  { metric: 'odd', labels: { kind: 'text "\\\n', unicode: 'ünïcödé' }, valueAt: () => String(base) },
]

const escaped = (text: string) => text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')

/** The samples of instances as OpenMetrics text, which `promtool tsdb create-blocks-from openmetrics` reads. */
export function openMetrics(instances: readonly string[]): string {
  const all = instances.flatMap((instance, index) =>
    seriesOf(instance, 100 ** (index + 1)).map(series => ({ instance, ...series })),
  )
  const metrics = [...new Set(all.map(({ metric }) => metric))]
  const lines = metrics.flatMap(wanted => [
    `# TYPE ${wanted} unknown`,
    ...all
      .filter(({ metric }) => metric === wanted)
      .flatMap(({ metric, instance, labels, valueAt }) => {
        const written = Object.entries({ ...labels, [INSTANCE_LABEL]: instance })
          .map(([name, value]) => `${name}="${escaped(value)}"`)
          .join(',')
        return Array.from(
          { length: COUNT },
          (_, at) => `${metric}{${written}} ${valueAt(at)} ${BEGIN + at * STEP}`,
        )
      }),
  ])
  return `${lines.join('\n')}\n# EOF\n`
}
