import { type Distribution, distribution, load } from '../load.js'
import type { Serving } from './serving.js'
import type { Way } from './ways.js'

/** What the rounds of one way found together. */
export interface Rounds {
  readonly perSecond: number
  readonly milliseconds: Distribution
  /** Of the rounds, each by itself: how far they differ shows what else the machine did. */
  readonly p99OfRounds: { readonly least: number; readonly median: number }
  /** CPU of Kairship, user and system. */
  readonly cpuMillisecondsPerRequest: number
  /** The part of the answers that Kairship read for it from indexes, 0 to 1. NaN where it read none. */
  readonly fromIndex: number
}

/** What was measured, by operation and way. */
export type Found = Readonly<Record<string, Readonly<Record<string, Rounds>>>>

export interface LoadOptions {
  readonly connections: number
  readonly seconds: number
  readonly rounds: number
}

/** Every way in turn, several times over, so that a busy moment of the machine meets all; a first round warms up. */
export async function compare(
  ways: readonly Way[],
  kairship: Serving,
  { connections, seconds, rounds }: LoadOptions,
): Promise<Readonly<Record<string, Rounds>>> {
  const found = new Map(ways.map(({ name }) => [name, nothing()]))
  for (let round = 0; round <= rounds; round++) {
    for (const { name, send } of ways) {
      const answers = await kairship.answers()
      const before = kairship.process.cpuSeconds()
      const began = performance.now()
      const took = await load(connections, seconds * 1_000, send)
      const figures = found.get(name)
      if (round === 0 || !figures) continue
      figures.took.push([...took])
      figures.cpuSeconds += kairship.process.cpuSeconds() - before
      figures.seconds += (performance.now() - began) / 1_000
      const { index, karmada } = await kairship.answers()
      figures.index += index - answers.index
      figures.karmada += karmada - answers.karmada
    }
  }
  return Object.fromEntries([...found].map(([name, figures]) => [name, together(figures)]))
}

const nothing = () => ({ took: [] as number[][], cpuSeconds: 0, seconds: 0, index: 0, karmada: 0 })

function together(figures: ReturnType<typeof nothing>): Rounds {
  const all = figures.took.flat()
  const p99s = figures.took.map(round => distribution(round).p99).sort((a, b) => a - b)
  return {
    perSecond: Math.round((all.length / figures.seconds) * 10) / 10,
    milliseconds: distribution(all),
    p99OfRounds: { least: p99s[0] ?? Number.NaN, median: p99s[p99s.length >> 1] ?? Number.NaN },
    cpuMillisecondsPerRequest: Math.round((figures.cpuSeconds / all.length) * 1e6) / 1e3,
    fromIndex: Math.round((figures.index / (figures.index + figures.karmada)) * 1_000) / 1_000,
  }
}

/** The figures as a table of Markdown. */
export function table(found: Found): string {
  const rows = Object.entries(found).flatMap(([operation, ways]) =>
    Object.entries(ways).map(
      ([
        way,
        {
          perSecond,
          milliseconds: { count, p50, p99 },
          p99OfRounds,
          cpuMillisecondsPerRequest,
          fromIndex,
        },
      ]) =>
        `| ${operation} | ${way} | ${count} | ${perSecond} | ${p50} / ${p99} | ${p99OfRounds.least} / ${p99OfRounds.median} | ${cpuMillisecondsPerRequest} | ${fromIndex} |`,
    ),
  )
  return [
    '| operation | by | requests | per second | ms p50 / p99 | p99 of rounds, least / median | ms of Kairship’s CPU each | part from the index |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}
