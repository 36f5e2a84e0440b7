import type { Request } from 'playwright-core'
import { changeInstances, set, until } from './changes.js'
import type { ConsoleSite, OpenPage } from './site.js'

/** In an hour each instance changes as often: its capacity is read anew, and now and then it is degraded. */
const CHANGES_PER_INSTANCE = 6
/** Changes a second: so an hour of 1,000 instances takes a minute. */
const PER_SECOND = 100

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
  const versionOf = (change: number) => `v${hour}.36.${change}`
  await changeInstances(site, { instances, changes, perSecond: PER_SECOND, versionOf })
  // The last one is shown: what is measured has been taken in, and not only received.
  set(site, 0, `v9.9.${hour}`)
  await opened.page.getByText(`v9.9.${hour}`).waitFor()
  const seconds = (performance.now() - began) / 1_000
  return { instances, changes, seconds, heapBeforeBytes, heapAfterBytes: await opened.heapBytes() }
}

/** After its first screen a page loads parts ahead, the last of them after three seconds (console/session/session-gate.tsx); milliseconds. */
const LOADED_AHEAD_MS = 10_000

/** Requests of a page that has loaded its parts, while nothing changes; its streams are one socket, which was there before. */
export async function idleRequests(opened: OpenPage, seconds: number): Promise<readonly string[]> {
  await until(performance.now() + LOADED_AHEAD_MS)
  const requests: string[] = []
  const note = (request: Request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`)
  opened.page.on('request', note)
  await until(performance.now() + seconds * 1_000)
  opened.page.off('request', note)
  return requests
}
