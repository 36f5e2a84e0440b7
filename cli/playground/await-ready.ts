import { phaseOf } from '../../manifests/instance.js'
import type { Fleet, InstanceView } from '../../ports/fleet.js'

/** How a fleet came up. */
export interface Readiness {
  /** All views, as they were when the last became ready or the waiting ended. */
  readonly views: readonly InstanceView[]
  readonly allReady: boolean
  /** Milliseconds from the start to the first and to the last instance that became ready. */
  readonly firstReadyMs?: number
  readonly lastReadyMs?: number
}

/**
 * Follows a fleet until all instances are ready: those expected by name, and any other there is.
 * @param elapsedMs milliseconds since whatever the caller calls the start
 * @param signal ends the waiting early, at a deadline or on Ctrl-C
 * @param changed called after every change
 */
export async function awaitReady(
  fleet: Fleet,
  expected: readonly string[],
  elapsedMs: () => number,
  signal: AbortSignal,
  changed: (views: readonly InstanceView[]) => void = () => undefined,
): Promise<Readiness> {
  const views = new Map<string, InstanceView>()
  let synced = false
  let firstReadyMs: number | undefined
  const sorted = (): readonly InstanceView[] => [...views.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  for await (const event of untilAborted(fleet.watch({ signal }), signal)) {
    if (event.type === 'BOOKMARK') synced = true
    else if (event.type === 'DELETED') views.delete(event.view.name)
    else views.set(event.view.name, event.view)
    const ready = [...views.values()].filter(({ state }) => state === 'ready').length
    if (ready > 0) firstReadyMs ??= elapsedMs()
    changed(sorted())
    if (synced && ready === views.size && expected.every(name => views.has(name)))
      return {
        views: sorted(),
        allReady: true,
        lastReadyMs: elapsedMs(),
        ...(firstReadyMs !== undefined && { firstReadyMs }),
      }
  }
  return { views: sorted(), allReady: false, ...(firstReadyMs !== undefined && { firstReadyMs }) }
}

/** An aborted watch may end or throw; here both are the end. */
async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  try {
    yield* source
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** Why an instance is not ready, in one sentence; undefined when it is. */
export function whyNotReady({ state, conditions }: InstanceView): string | undefined {
  if (state === 'ready') return undefined
  const broken = conditions.find(({ type, status }) => type !== 'Ready' && status !== 'True')
  const cause = broken ?? conditions.find(({ type }) => type === 'Ready')
  const phase = phaseOf(state)
  return cause ? `${phase}: ${cause.type}: ${cause.message || cause.reason}` : phase
}
