import { type Distribution, distribution, load } from '../load.js'
import type { Measured } from '../proxy/process.js'
import type { Way } from './ways.js'

/** What the rounds of one way found together. */
export interface Rounds {
  readonly perSecond: number
  readonly milliseconds: Distribution
  /** CPU of Kairship, user and system. */
  readonly cpuMillisecondsPerRequest: number
}

export interface LoadOptions {
  readonly connections: number
  readonly seconds: number
  readonly rounds: number
}

/** Every way in turn, several times over, so that a busy moment of the machine meets all; a first round warms up. */
export async function compare(
  ways: readonly Way[],
  kairship: Measured,
  { connections, seconds, rounds }: LoadOptions,
): Promise<Readonly<Record<string, Rounds>>> {
  const found = new Map(ways.map(({ name }) => [name, { took: [] as number[], cpuSeconds: 0, seconds: 0 }]))
  for (let round = 0; round <= rounds; round++) {
    for (const { name, send } of ways) {
      const before = kairship.cpuSeconds()
      const began = performance.now()
      const took = await load(connections, seconds * 1_000, send)
      const figures = found.get(name)
      if (round === 0 || !figures) continue
      for (const one of took) figures.took.push(one)
      figures.cpuSeconds += kairship.cpuSeconds() - before
      figures.seconds += (performance.now() - began) / 1_000
    }
  }
  return Object.fromEntries(
    [...found].map(([name, { took, cpuSeconds, seconds }]) => [
      name,
      {
        perSecond: Math.round((took.length / seconds) * 10) / 10,
        milliseconds: distribution(took),
        cpuMillisecondsPerRequest: Math.round((cpuSeconds / took.length) * 1e6) / 1e3,
      },
    ]),
  )
}
