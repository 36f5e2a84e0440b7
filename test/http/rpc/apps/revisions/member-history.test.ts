import { expect, it } from 'vitest'
import type { ObjectCall, Objects } from '../../../../../http/objects/objects.js'
import { memberHistory } from '../../../../../http/rpc/apps/revisions/member-history.js'
import { revisionId } from '../../../../../http/rpc/apps/revisions/revision.js'
import { typeOfWhole } from '../../../../../http/rpc/core/workloads.js'

const template = { spec: { containers: [{ image: 'nginx' }] } }
const call = {} as ObjectCall

it.each([['x'], [1.5], [null], [2 ** 60]])(
  'leaves out a kept revision whose number is %j',
  async revision => {
    const kept = (name: string, number: unknown) => ({
      ...{ metadata: { name, annotations: { 'kubernetes.io/change-cause': 7 } }, revision: number },
      data: { spec: { template } },
    })
    const objects = {
      get: async () => ({
        kind: 'StatefulSet',
        metadata: { name: 'db', uid: 'u' },
        status: { updateRevision: 'db-2', updatedReplicas: 'x' },
      }),
      list: async () => ({ items: [kept('db-1', revision), kept('db-2', 2)] }),
    } as unknown as Objects
    const place = { instance: 'i', cluster: 'm' }
    const history = await memberHistory(objects, call, place, typeOfWhole('StatefulSet'), { name: 'db' })
    expect(history?.kept).toEqual([
      {
        ...{ cluster: 'm', objectName: 'db-2', createdAt: '', changeCause: '7', template },
        ...{ id: revisionId(template), revision: 2, replicas: 0, active: true },
      },
    ])
  },
)
