import { COMING_UP_AT_ONCE, StartupQueue } from '../../../actors/fleet/startup-queue.js'
import type { Instance } from '../../../manifests/instance.js'
import { instance } from '../../machines/instance/facts.js'
import { UNHURRIED } from '../kube/turns-under-test.js'

/** An Instance that was created so many seconds into the test. */
export const born = (name: string, second: number, more: Partial<Instance> = {}): Instance => ({
  ...instance({
    name,
    uid: name,
    creationTimestamp: `2026-01-01T00:${String(Math.floor(second / 60)).padStart(2, '0')}:${String(second % 60).padStart(2, '0')}Z`,
  }),
  ...more,
})
export const unreachable = {
  status: {
    conditions: [
      {
        type: 'ControlPlaneHealthy',
        status: 'False',
        reason: 'Unreachable',
        message: '',
        lastTransitionTime: '',
      },
    ],
  },
} as Partial<Instance>

/** An event loop that has nothing else to do. */
export const idle = { measure: () => () => 0, turns: UNHURRIED }

/** A queue, and who has come up so far. */
export function queue(busyness = () => 0) {
  const up: string[] = []
  return {
    up,
    queue: new StartupQueue(name => up.push(name), { measure: () => busyness, turns: UNHURRIED }),
  }
}
/** As many as come up at once, the oldest of all. */
export function fill(startup: StartupQueue): string[] {
  const names = Array.from(
    { length: COMING_UP_AT_ONCE },
    (_, index) => `first-${String(index).padStart(2, '0')}`,
  )
  for (const name of names) startup.enter(born(name, 0))
  return names
}
