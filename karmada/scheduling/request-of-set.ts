import { parseQuantity, ResourceSum } from '../../manifests/quantity.js'
import type { Component } from '../objects/binding.js'
import type { Resources } from '../objects/federated-resource-quota.js'

/** What all components of a workload request together. */
export function requestOfSet(components: readonly Component[]): Resources {
  const sum = new ResourceSum()
  for (const { replicas, replicaRequirements } of components)
    addTimes(sum, replicaRequirements?.resourceRequest ?? {}, replicas)
  return sum.toResourceList()
}

/** Adds a request so many times; what is zero is left out. */
export function addTimes(total: ResourceSum, request: Resources, times: number): void {
  if (times === 0) return
  for (const [name, amount] of Object.entries(request)) {
    const { nano, format } = parseQuantity(amount)
    if (nano !== 0n) total.addQuantity(name, { nano: nano * BigInt(times), format })
  }
}
