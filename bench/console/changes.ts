import { viewOf } from '../../test/http/fakes/fleet.js'
import { type ConsoleSite, nameOf } from './site.js'

/** So many changes at once, as a watch of the host delivers them. */
const BURST = 10
/**
 * Every so many changes one is of state, which moves the instance in the list. It divides no usual number of instances, so that it is another
 * instance each time.
 */
const DEGRADED_EVERY = 19

/**
 * Changes the instances of a fleet one after the other, again and again, at a fixed rate, which the machine may be too slow for.
 * @param versionOf the version of Kubernetes that a change gives
 */
export async function changeInstances(
  site: ConsoleSite,
  of: {
    readonly instances: number
    readonly changes: number
    readonly perSecond: number
    readonly versionOf: (change: number) => string
  },
): Promise<void> {
  const began = performance.now()
  for (let change = 0; change < of.changes; change += 1) {
    const state = change % DEGRADED_EVERY === 0 ? 'degraded' : 'ready'
    set(site, change % of.instances, of.versionOf(change), state)
    if (change % BURST === 0) await until(began + (change * 1_000) / of.perSecond)
  }
}

/** Sets the version of an instance. @param n its number, from 0 */
export function set(
  site: ConsoleSite,
  n: number,
  kubernetesVersion: string,
  state: 'ready' | 'degraded' = 'ready',
): void {
  site.fleet.set(viewOf(nameOf(n), state, undefined, { kubernetesVersion }))
}

/** @param when by `performance.now()` */
export const until = (when: number): Promise<void> =>
  new Promise(resolve => setTimeout(resolve, Math.max(0, when - performance.now())))
