import { readFileSync } from 'node:fs'
import { inject } from 'vitest'
import { containerManagementConformance } from '../../conformance/container-management/suite.js'
import type { SourceCluster } from '../../conformance/container-management/target.js'

/** Clusterpedia on PostgreSQL, indexing two real Karmada API servers. */
containerManagementConformance(async () => {
  const { host, alice, karmadas, kubeconfigs } = inject('stack')
  const source = (name: string): SourceCluster => {
    const administrator = karmadas[name]
    const kubeconfig = kubeconfigs[name]
    if (administrator === undefined || kubeconfig === undefined) throw new Error(`the stack lacks ${name}`)
    return {
      url: administrator.url,
      ca: administrator.ca,
      administrator,
      kubeconfig: readFileSync(kubeconfig, 'utf8'),
    }
  }
  return {
    name: 'Clusterpedia',
    url: host.url,
    ca: host.ca,
    administrator: host,
    alice,
    sources: [source('karmada-east'), source('karmada-west')],
    close: async () => undefined,
  }
})
