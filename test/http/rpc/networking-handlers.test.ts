import { expect, it } from 'vitest'
import type { Call } from '../../../http/call/call.js'
import { networkingHandlers } from '../../../http/rpc/networking/handlers.js'
import { recordingObjects } from './recording-objects.js'

it('an ingress class is the default one where its annotation is true', async () => {
  const annotated = (value: string) => ({ 'ingressclass.kubernetes.io/is-default-class': value })
  const { objects } = recordingObjects(() => undefined, {
    ingressclasses: [
      { metadata: { name: 'none' } },
      { metadata: { name: 'yes', annotations: annotated('true') } },
      { metadata: { name: 'no', annotations: annotated('false') } },
    ],
  })
  const request = { instance: 'i', cluster: 'm' }
  const { items } = await networkingHandlers(objects).listIngressClassForMemberCluster(
    request as never,
    {} as Call,
  )
  expect(items).toEqual([
    { name: 'none', isDefaultClass: false },
    { name: 'yes', isDefaultClass: true },
    { name: 'no', isDefaultClass: false },
  ])
})
