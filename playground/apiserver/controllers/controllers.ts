import type { Cluster } from '../cluster.js'
import { CertificateSigner } from './certificate-signer.js'
import type { Controller } from './controller.js'
import { CustomResources } from './custom-resources.js'
import { GarbageCollector } from './garbage-collector.js'
import { Namespaces } from './namespaces.js'
import { type AccountLoops, ServiceAccounts } from './service-accounts.js'

/** The control loops of one logical cluster, notified of every change in the order of their list. */
export class Controllers {
  readonly #all: readonly (Controller & { close(): Promise<void> })[]
  readonly #stop: () => void

  constructor(cluster: Cluster, loops: AccountLoops) {
    this.#all = [
      new CustomResources(cluster),
      new Namespaces(cluster),
      new GarbageCollector(cluster),
      new ServiceAccounts(cluster, loops),
      new CertificateSigner(cluster),
    ]
    this.#stop = cluster.store.onChange((collection, event) => {
      for (const controller of this.#all) controller.observe(collection, event)
    })
  }

  async close(): Promise<void> {
    this.#stop()
    await Promise.all(this.#all.map(controller => controller.close()))
  }
}
