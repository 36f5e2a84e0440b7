import { describe, expect, it } from 'vitest'
import type { Pod, PodSpec } from '../../../playground/objects/core.js'
import { requested } from '../../../playground/objects/pod-requests.js'

const pod = (spec: PodSpec): Pod => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec })
const container = (requests: Record<string, string>) => ({ name: 'c', resources: { requests } })

describe('the requests of pods', () => {
  it('are the larger of the sum of containers and any init container, plus overhead', () => {
    const spec: PodSpec = {
      containers: [container({ cpu: '100m' }), container({ cpu: '200m', memory: '10Mi' })],
      initContainers: [container({ cpu: '250m', memory: '1Gi' }), container({ cpu: '900m' })],
      overhead: { cpu: '50m' },
    }
    expect(requested([pod(spec)])).toEqual({ cpu: '950m', memory: '1Gi', pods: '1' })
  })

  it('are rounded up to Karmada’s units: thousandths of a core, whole bytes', () => {
    const tiny = pod({ containers: [container({ cpu: '100u', memory: '500m' })] })
    expect(requested([tiny, tiny])).toEqual({ cpu: '2m', memory: '2', pods: '2' })
  })

  it('include extended resources', () => {
    expect(requested([pod({ containers: [container({ 'nvidia.com/gpu': '2' })] })])).toEqual({
      'nvidia.com/gpu': '2',
      pods: '1',
    })
  })
})
