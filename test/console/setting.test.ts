import { describe, expect, it } from 'vitest'
import { adoptCommand, NO_INSTANCE, requestOf } from '../../console/create/instance-fields.js'
import { changesOf, messageOf, timesOf } from '../../console/settings/setting.js'

describe('a setting of Karmada', () => {
  it('has changes in the fields that differ; a duration that is not set is the default', () => {
    const before = { enabled: false, times: { a: 5, b: 0, d: 9, e: 1 } }
    const after = { enabled: true, times: { a: 5, b: 7, c: 0, d: 3 } }
    expect(changesOf(before, after)).toEqual([
      { field: 'enabled', from: false, to: true },
      { field: 'b', from: 0, to: 7 },
      { field: 'd', from: 9, to: 3 },
      { field: 'e', from: 1, to: 0 },
    ])
    expect(changesOf(before, before)).toEqual([])
  })

  it('is read from a message and written to one without the message’s own fields', () => {
    const times = timesOf({ $typeName: 'x', descheduling: 120n })
    expect([times, messageOf(times)]).toEqual([{ descheduling: 120 }, { descheduling: 120n }])
    expect(timesOf(undefined)).toEqual({})
  })
})

describe('the form of a new instance', () => {
  const filled = {
    ...NO_INSTANCE,
    name: ' eu ',
    secretName: 'eu',
    namespace: 'karmada-eu',
    hostName: 'metal',
  }

  it('sends the fields of its mode, and none of the other', () => {
    expect(requestOf(filled).data).toEqual({
      metadata: { name: 'eu' },
      spec: { kubeconfigSecretRef: { namespace: 'karmada-instances', name: 'eu' } },
    })
    expect(requestOf({ ...filled, mode: 'install', hostNamespace: 'hosts' }).data.spec).toEqual({
      deletionPolicy: 'Retain',
      install: {
        namespace: 'karmada-eu',
        hostCluster: { secretRef: { namespace: 'hosts', name: 'metal' } },
      },
    })
  })

  it('shows the command that creates its Secret', () => {
    expect(adoptCommand(filled)).toBe(
      'kubectl create secret generic eu -n karmada-instances --from-file=kubeconfig=FILE',
    )
  })
})
