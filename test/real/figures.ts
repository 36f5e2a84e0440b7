import { expect, vi } from 'vitest'
import type { ApiClient } from './api-client.js'

// biome-ignore lint/suspicious/noExplicitAny: objects of every shape are read here
type Json = any

/** Where Karmada's member clusters are read and written. */
export const clusters = '/apis/cluster.karmada.io/v1alpha1/clusters'

/** What is counted of an instance's members; amounts by resource, in units. */
export interface Figures {
  readonly clusters: Counted
  readonly nodes: Counted
  readonly allocatable: Amounts
  readonly allocating: Amounts
  readonly allocated: Amounts
}

interface Counted {
  readonly totalNum: number
  readonly readyNum: number
}

type Amounts = Readonly<Record<string, number>>

/** What Karmada says of its members, added up by nobody's code but this. */
export async function countedBy(karmada: ApiClient): Promise<Figures> {
  const { items } = await karmada.must<{ items: Json[] }>('GET', clusters)
  const sum = (pick: (status: Json) => number): number =>
    items.reduce((total, { status }) => total + pick(status ?? {}), 0)
  const resources = (kind: string): Amounts => {
    const total: Record<string, number> = {}
    for (const { status } of items)
      for (const [resource, quantity] of Object.entries<string>(status?.resourceSummary?.[kind] ?? {}))
        total[resource] = (total[resource] ?? 0) + amount(quantity)
    return total
  }
  return {
    clusters: { totalNum: items.length, readyNum: sum(status => Number(isReady(status))) },
    nodes: {
      totalNum: sum(({ nodeSummary }) => nodeSummary?.totalNum ?? 0),
      readyNum: sum(({ nodeSummary }) => nodeSummary?.readyNum ?? 0),
    },
    allocatable: resources('allocatable'),
    allocating: resources('allocating'),
    allocated: resources('allocated'),
  }
}

/** The same of an Instance's summary; undefined is what it does not say yet. */
export function figuresOf({ status }: Json): Partial<Figures> {
  const { clusterSummary, nodeSummary, resourceSummary = {} } = status?.summary ?? {}
  const resources = (list: Record<string, string> = {}): Amounts =>
    Object.fromEntries(Object.entries(list).map(([resource, quantity]) => [resource, amount(quantity)]))
  return {
    clusters: clusterSummary,
    nodes: nodeSummary,
    allocatable: resources(resourceSummary.allocatable),
    allocating: resources(resourceSummary.allocating),
    allocated: resources(resourceSummary.allocated),
  }
}

/** Waits until an Instance says of its members what their Karmada says, to the last unit; both change at any time. */
export const saysWhatKarmadaSays = (instance: () => Promise<Json>, karmada: ApiClient): Promise<void> =>
  vi.waitFor(
    async () =>
      expect(withoutZeros(figuresOf(await instance()))).toEqual(withoutZeros(await countedBy(karmada))),
    { timeout: 180_000, interval: 100 },
  )

const isReady = ({ conditions = [] }: Json): boolean =>
  conditions.some(({ type, status }: Json) => type === 'Ready' && status === 'True')

const units: Readonly<Record<string, number>> = {
  '': 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
}

/** A quantity as a number; exact enough for what KWOK's nodes have. */
function amount(quantity: string): number {
  const [, number = '', unit = ''] = /^([-+.0-9]+)([a-zA-Z]*)$/.exec(quantity) ?? []
  const factor = units[unit]
  if (factor === undefined || number === '') throw new Error(`not a quantity: ${quantity}`)
  return Number(number) * factor
}

/** A resource that nobody uses may be told or left out. */
const withoutZeros = (figures: Partial<Figures>): object =>
  Object.fromEntries(
    Object.entries(figures).map(([what, counts]) => [
      what,
      counts && Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)),
    ]),
  )
