import {
  addQuantities,
  parseQuantity,
  type Quantity,
  type QuantityFormat,
  ResourceSum,
  wholeUnits,
  ZERO,
} from '../../manifests/quantity.js'
import type { Pod } from './core.js'

/**
 * The effective requests of pods by resource, with `pods` as their number: containers summed, an init container's larger
 * request instead, overhead on top. Karmada counts cpu in thousandths and all else in whole units, each request rounded up.
 */
export function requested(pods: readonly Pod[]): Record<string, string> {
  const total = new ResourceSum()
  for (const pod of pods) {
    for (const [name, value] of podRequest(pod)) total.addQuantity(name, value)
  }
  if (pods.length > 0)
    total.addQuantity('pods', { nano: BigInt(pods.length) * 1_000_000_000n, format: 'DecimalSI' })
  const list = total.toResourceList()
  return Object.fromEntries(Object.entries(list).filter(([, value]) => value !== '0'))
}

function podRequest({ spec }: Pod): Map<string, Quantity> {
  const sums = new Map<string, Quantity>()
  const add = (requests: Readonly<Record<string, string>> = {}) => {
    for (const [name, value] of counted(requests))
      sums.set(name, addQuantities(sums.get(name) ?? ZERO, value))
  }
  for (const { resources } of spec?.containers ?? []) add(resources?.requests)
  for (const { resources } of spec?.initContainers ?? []) {
    for (const [name, value] of counted(resources?.requests ?? {}))
      if (value.nano > (sums.get(name) ?? ZERO).nano) sums.set(name, value)
  }
  add(spec?.overhead)
  return sums
}

/** The resources Karmada counts: native ones and extended ones (`nvidia.com/gpu`), in its units. */
function* counted(requests: Readonly<Record<string, string>>): Generator<[string, Quantity]> {
  for (const [name, value] of Object.entries(requests)) {
    const quantity = parseQuantity(value)
    if (name === 'cpu') yield [name, roundedUp(quantity, 1_000_000n, 'DecimalSI')]
    else yield [name, roundedUp(quantity, 1_000_000_000n, isBytes(name) ? 'BinarySI' : 'DecimalSI')]
  }
}

const isBytes = (name: string): boolean =>
  name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-')

function roundedUp({ nano, format }: Quantity, unit: bigint, as: QuantityFormat): Quantity {
  if (unit === 1_000_000_000n) return { nano: wholeUnits({ nano, format }) * unit, format: as }
  return { nano: ((nano + unit - 1n) / unit) * unit, format: as }
}
