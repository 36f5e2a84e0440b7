import type { InstanceSummary, NumStatistic } from './instance.js'
import { ResourceSum } from './quantity.js'

/** What statistics need of one member cluster; sums are exact, so quantities arrive as text. */
export interface MemberFigures {
  readonly ready: boolean
  readonly nodes: NumStatistic
  readonly allocatable: Readonly<Record<string, string>>
  readonly allocating: Readonly<Record<string, string>>
  readonly allocated: Readonly<Record<string, string>>
}

/** How many there are of a type and, where objects can be ready, how many are. */
export interface TypeFigures {
  readonly total: number
  readonly ready?: number
}

/** What is counted, by the resource's plural. */
export interface Figures {
  readonly members: readonly MemberFigures[]
  readonly policies: Readonly<Record<string, number>>
  readonly resources: Readonly<Record<string, TypeFigures>>
}

/** Pure: the figures of one control plane as the summary that its CR shows. */
export function summaryOf({ members, policies, resources }: Figures): InstanceSummary {
  const sum = (pick: (member: MemberFigures) => Readonly<Record<string, string>>) => {
    const sum = new ResourceSum()
    for (const member of members) sum.add(pick(member))
    return sum.toResourceList()
  }
  const count = (pick: (member: MemberFigures) => number) =>
    members.reduce((total, member) => total + pick(member), 0)
  const workloads = Object.entries(resources).filter(([, { ready }]) => ready !== undefined)
  return {
    resourceTotalNum: Object.fromEntries(Object.entries(resources).map(([name, { total }]) => [name, total])),
    policyTotalNum: { ...policies },
    clusterSummary: { totalNum: members.length, readyNum: count(({ ready }) => Number(ready)) },
    nodeSummary: {
      totalNum: count(({ nodes }) => nodes.totalNum),
      readyNum: count(({ nodes }) => nodes.readyNum),
    },
    resourceSummary: {
      allocatable: sum(({ allocatable }) => allocatable),
      allocating: sum(({ allocating }) => allocating),
      allocated: sum(({ allocated }) => allocated),
    },
    workLoadSummary: Object.fromEntries(
      workloads.map(([name, { total, ready = 0 }]) => [name, { totalNum: total, readyNum: ready }]),
    ),
  }
}
