import { inject } from 'vitest'
import { workloadConformance } from '../../conformance/workloads/suite.js'

/** The suite's truth: the controllers and the scheduler of Kubernetes, with KWOK's nodes. It must hold without exceptions. */
workloadConformance(async () => {
  const { members, alice } = inject('stack')
  const [member] = Object.values(members)
  if (!member) throw new Error('the stack has no member')
  return {
    name: 'kube-controller-manager',
    url: member.url,
    ca: member.ca,
    administrator: member,
    alice,
    close: async () => undefined,
  }
})
