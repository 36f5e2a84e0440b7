import type { Request } from 'playwright-core'
import { viewOf } from '../../test/http/fakes/fleet.js'
import { type ConsoleSite, nameOf, type OpenPage } from './site.js'

/** In an hour each instance changes as often: its capacity is read anew, and now and then it is degraded. */
const CHANGES_PER_INSTANCE = 6
/** Changes a second: so an hour of 1,000 instances takes a minute. */
const PER_SECOND = 100
/** So many changes at once, as a watch of the host delivers them. */
const BURST = 10
/** Every so many changes of an instance its state changes, which moves it in the list. */
const DEGRADED_EVERY = 20

/** What an hour of watching costs a page. */
export interface Watching {
  readonly instances: number
  readonly changes: number
  readonly seconds: number
  readonly heapBeforeBytes: number
  readonly heapAfterBytes: number
}

/** An hour of changes in less time, all of them sent and shown; memory before and after. */
export async function watchHour(
  site: ConsoleSite,
  opened: OpenPage,
  instances: number,
  hour = 1,
): Promise<Watching> {
  const heapBeforeBytes = await opened.heapBytes()
  const changes = instances * CHANGES_PER_INSTANCE
  const began = performance.now()
  for (let change = 0; change < changes; change += 1) {
    const isDegraded = change % DEGRADED_EVERY === 0
    site.fleet.set(
      viewOf(nameOf(change % instances), isDegraded ? 'degraded' : 'ready', undefined, {
        kubernetesVersion: `v${hour}.36.${change}`,
      }),
    )
    if (change % BURST === 0) await until(began + (change * 1_000) / PER_SECOND)
  }
  // The last one is shown: what is measured has been taken in, and not only received.
  const last = nameOf(0)
  site.fleet.set(viewOf(last, 'ready', undefined, { kubernetesVersion: `v9.9.${hour}` }))
  await opened.page.getByText(`v9.9.${hour}`).waitFor()
  const seconds = (performance.now() - began) / 1_000
  return { instances, changes, seconds, heapBeforeBytes, heapAfterBytes: await opened.heapBytes() }
}

/** Requests of a page while nothing changes; its streams are one socket, which was there before. */
export async function idleRequests(opened: OpenPage, seconds: number): Promise<readonly string[]> {
  const requests: string[] = []
  const note = (request: Request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`)
  opened.page.on('request', note)
  await until(performance.now() + seconds * 1_000)
  opened.page.off('request', note)
  return requests
}

const until = (at: number): Promise<void> =>
  new Promise(resolve => setTimeout(resolve, Math.max(0, at - performance.now())))
