import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { WholeList } from '../../../actors/global-management/binding-list.js'
import { DeliveredBindings } from '../../../actors/global-management/delivered-bindings.js'
import { FullSync } from '../../../actors/global-management/full-sync.js'
import type { DeliveredBinding, StoredBinding } from '../../../manifests/delivered-binding.js'
import { INSTANCE_ROLE_BINDINGS } from '../../../manifests/instance-role-binding.js'
import { resourcePath } from '../../../manifests/kube.js'
import { isOver } from '../../../manifests/role-end.js'
import { WORKSPACE_ROLE_BINDINGS } from '../../../manifests/workspace-role-binding.js'
import type { ApiServer } from '../../../playground/apiserver/server.js'
import { startHost } from '../../../playground/fleet/host.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { RoleBindingEvent } from '../../../ports/role-binding-deliveries.js'
import { silent, unmetered } from '../../silent.js'

export const signal: AbortSignal = new AbortController().signal
export const NOW = Date.parse('2026-11-24T12:00:00Z')
export const occurredAt = new Date(NOW).toISOString()
export const PATH = resourcePath(INSTANCE_ROLE_BINDINGS)

export const binding = (
  name: string,
  user = 'ann',
  role: 'Viewer' | 'Admin' = 'Viewer',
): DeliveredBinding => ({
  ...{ name, instance: 'eu', role },
  subjects: [{ kind: 'User', name: user }],
})

/** The host of the tests of one file, on which nothing is delivered when a test begins, and what is to be seen there. */
export class HostOfDeliveries {
  #host: ApiServer | undefined

  constructor() {
    beforeAll(async () => {
      this.#host = await startHost({ name: 'host' })
    })
    afterAll(() => this.#host?.close())
    beforeEach(() => this.clear())
  }

  /** @throws Error outside of tests */
  get api(): KubeApi {
    if (!this.#host) throw new Error('there is a host while tests run')
    return this.#host.local
  }

  /** With what is remembered of deleted users. */
  async clear(): Promise<void> {
    for (const path of [PATH, resourcePath(WORKSPACE_ROLE_BINDINGS)])
      await this.api.request({ method: 'DELETE', path })
  }

  async stored(): Promise<readonly StoredBinding[]> {
    return (await this.api.request<{ items: StoredBinding[] }>({ method: 'GET', path: PATH })).items
  }

  /** What counts now, a line for each. */
  async given(): Promise<readonly string[]> {
    return (await this.stored())
      .filter(binding => !isOver(binding, NOW))
      .map(
        ({ metadata, spec }) => `${metadata.name}: ${spec.role} to ${spec.subjects.map(({ name }) => name)}`,
      )
      .sort()
  }

  /** A full sync over a list that a test sets, and the way in of deliveries. */
  syncing(list: () => Promise<WholeList>, api: KubeApi = this.api) {
    const bindings = new DeliveredBindings(api, () => NOW)
    const sync = new FullSync({
      ...{ bindings, everyMs: 1_000, log: silent, meter: unmetered, now: () => NOW },
      list: { whole: list },
      leadership: () => ({ leading: true, signal }),
    })
    const update = (sequence: number, one: DeliveredBinding): RoleBindingEvent => ({
      ...{ type: 'binding.updated', sequence, occurredAt },
      binding: one,
    })
    return { sync, update, deliver: (event: RoleBindingEvent) => bindings.take(event, signal) }
  }
}
