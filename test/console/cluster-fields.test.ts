import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import {
  differences,
  fieldsOf,
  NO_FIELDS,
  readLabels,
  readTaints,
} from '../../console/clusters/cluster-fields.js'
import { ClusterSchema } from '../../proto/gen/kairship/cluster_pb.js'
import { TaintEffect } from '../../proto/gen/kairship/types_pb.js'

describe('the fields of a cluster', () => {
  it('show the cluster in kubectl’s notation, and are read back to the same values', () => {
    const taints = [
      { key: 'maintenance', value: 'soon', effect: TaintEffect.NoSchedule },
      { key: 'gone', value: '', effect: TaintEffect.NoExecute },
    ]
    const fields = fieldsOf(
      create(ClusterSchema, {
        metadata: { labels: { tier: 'edge', 'a.example/empty': '' } },
        spec: { taints, providerName: 'kind', region: 'eu', zones: ['a', 'b'] },
      }),
    )
    expect(fields).toEqual({
      labels: 'a.example/empty=\ntier=edge',
      taints: 'maintenance=soon:NoSchedule\ngone:NoExecute',
      provider: 'kind',
      region: 'eu',
      zones: 'a, b',
    })
    expect(readLabels(fields.labels)).toEqual({ value: { tier: 'edge', 'a.example/empty': '' }, wrong: [] })
    expect(readTaints(fields.taints)).toEqual({ value: taints, wrong: [] })
  })

  it('report invalid lines, and skip empty ones', () => {
    expect(readLabels('tier\n\n=x\na=b=c')).toEqual({
      value: { a: 'b=c' },
      wrong: [
        { line: 1, text: 'tier' },
        { line: 3, text: '=x' },
      ],
    })
    expect(readTaints('key:Never\nkey\nkey=v w:NoSchedule').wrong).toHaveLength(3)
  })
})

describe('the differences that saving makes', () => {
  it('are added and removed lines, and changed fields', () => {
    const before = { ...NO_FIELDS, labels: 'a=1\nb=2', region: 'eu', zones: 'x,y' }
    const after = { ...before, labels: 'b=2\n a=3', taints: 'k:NoSchedule', region: 'us', zones: 'x, y' }
    expect(differences(before, after)).toEqual([
      { kind: 'adds', what: 'a=3' },
      { kind: 'adds', what: 'k:NoSchedule' },
      { kind: 'removes', what: 'a=1' },
      { kind: 'sets', field: 'region', from: 'eu', to: 'us' },
    ])
  })

  it('are none where only blanks and the order of lines change', () => {
    const before = { ...NO_FIELDS, labels: 'a=1\nb=2', provider: 'kind' }
    expect(differences(before, { ...before, labels: ' b=2 \n\na=1', provider: 'kind ' })).toEqual([])
  })
})
