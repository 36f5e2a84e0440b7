import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { ClusterService } from '../../proto/gen/kairship/cluster_pb.js'
import { InstanceService } from '../../proto/gen/kairship/instance_pb.js'
import { SortBy, SortDir } from '../../proto/gen/kairship/types_pb.js'
import { encodeRequest } from '../../transcoding/encode.js'

describe('a request', () => {
  it('has what is set in its query, and nothing else', () => {
    const { input } = InstanceService.method.listInstances
    const list = create(input, { name: 'a&b', page: 2, sortBy: SortBy.field_name, sortDir: SortDir.asc })
    expect(encodeRequest(InstanceService.method.listInstances, list)).toEqual({
      verb: 'GET',
      path: '/apis/kairship.io/v1alpha1/instances?name=a%26b&page=2&sortBy=field_name&sortDir=asc',
      body: undefined,
    })
  })

  it('has in its body what its path does not hold', () => {
    const { updateInstance } = InstanceService.method
    expect(encodeRequest(updateInstance, create(updateInstance.input, { name: 'eu', data: '{}' }))).toEqual({
      verb: 'PUT',
      path: '/apis/kairship.io/v1alpha1/instances/eu',
      body: '{"data":"{}"}',
    })
  })

  it('keeps a name with a slash or the text of a verb in one segment', () => {
    const { getInstance } = InstanceService.method
    const path = (name: string) => encodeRequest(getInstance, create(getInstance.input, { name })).path
    expect(path('a/b:explain')).toBe('/apis/kairship.io/v1alpha1/instances/a%2Fb%3Aexplain')
  })

  it.each([
    ['', 'name is "", which cannot be a part of a path'],
    ['..', 'name is "..", which cannot be a part of a path'],
    ['\ud800', 'name has half of a surrogate pair'],
  ])('for an object called %j is refused before it is sent', (name, problem) => {
    const { deleteInstance } = InstanceService.method
    expect(() => encodeRequest(deleteInstance, create(deleteInstance.input, { name }))).toThrow(problem)
  })

  it('is refused where a query cannot say what is set', () => {
    const { removeJoinedCluster } = ClusterService.method
    const removal = (cluster: object) =>
      create(removeJoinedCluster.input, { instance: 'eu', name: 'a', cluster })
    const refused = (cluster: object) => expect(() => encodeRequest(removeJoinedCluster, removal(cluster)))
    refused({}).toThrow('cluster is set and empty')
    refused({ metadata: { ownerReferences: [{ uid: '1' }] } }).toThrow('is a list of messages')
    refused({ metadata: { labels: { 'a]': '1' } } }).toThrow('has the key "a]"')
  })
})
