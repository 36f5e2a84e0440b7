import type { Distribution } from './load.js'

/** What reading in one way through one proxy came to. */
export interface Measured {
  /** Deployments in the namespace. */
  readonly size: number
  readonly kind: 'get' | 'list' | 'page'
  readonly proxy: string
  readonly perSecond: number
  readonly milliseconds: Distribution
  /** Milliseconds of CPU that the engines behind the proxy used, by requests answered. */
  readonly cpuMsPerRequest: number
  /** Cores kept busy meanwhile by those engines, by the generator of the load, and by everything else on the machine. */
  readonly coresUsed: { readonly engines: number; readonly generator: number; readonly elsewhere: number }
}

type Lags = Readonly<Record<string, { idle: Distribution; busy: Distribution; writesPerSecond: number }>>

const embedded = 'embedded index'

/** How many times better the embedded index is than another proxy, by rate and by CPU of the engines. */
export interface Ratio {
  readonly size: number
  readonly kind: string
  readonly over: string
  readonly byRate: number
  readonly byCpu: number
}

export function ratios(reads: readonly Measured[]): readonly Ratio[] {
  return reads
    .filter(({ proxy }) => proxy !== embedded)
    .flatMap(({ size, kind, proxy, perSecond, cpuMsPerRequest }) => {
      const ours = reads.find(read => read.proxy === embedded && read.size === size && read.kind === kind)
      if (ours === undefined) return []
      const tenths = (value: number): number => Math.round(value * 10) / 10
      return {
        size,
        kind,
        over: proxy,
        byRate: tenths(ours.perSecond / perSecond),
        byCpu: tenths(cpuMsPerRequest / ours.cpuMsPerRequest),
      }
    })
}

/** The figures as the tables of bench/README.md. */
export function tables(lags: Lags, reads: readonly Measured[]): string {
  const row = (...cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`
  const rule = (columns: number): string => row(...Array.from({ length: columns }, () => '---'))
  const time = ({ p50, p99 }: Distribution): string => `${p50} / ${p99}`
  return [
    row('lag', 'idle, ms p50 / p99', 'beside writes, ms p50 / p99', 'writes/s'),
    rule(4),
    ...Object.entries(lags).map(([name, { idle, busy, writesPerSecond }]) =>
      row(name, time(idle), time(busy), writesPerSecond),
    ),
    '',
    row(
      'Deployments',
      'what',
      'read from',
      'per second',
      'ms p50 / p99',
      'ms of CPU each',
      'cores: engines, generator, elsewhere',
    ),
    rule(7),
    ...reads.map(({ size, kind, proxy, perSecond, milliseconds, cpuMsPerRequest, coresUsed }) =>
      row(
        size,
        kind,
        proxy,
        perSecond,
        time(milliseconds),
        cpuMsPerRequest,
        `${coresUsed.engines}, ${coresUsed.generator}, ${coresUsed.elsewhere}`,
      ),
    ),
    '',
    row('Deployments', 'what', 'embedded index over', 'by rate', 'by CPU'),
    rule(5),
    ...ratios(reads).map(({ size, kind, over, byRate, byCpu }) => row(size, kind, over, byRate, byCpu)),
  ].join('\n')
}
