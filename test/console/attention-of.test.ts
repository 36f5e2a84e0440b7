import { create } from '@bufbuild/protobuf'
import { expect, it } from 'vitest'
import { attentionOf } from '../../console/fleet/attention-of.js'
import { InstanceSchema } from '../../proto/gen/kairship/instance_pb.js'

const condition = (type: string, status: string, message = '') => ({
  type,
  status,
  message,
  reason: 'Tested',
})
const holds = condition('Ready', 'True')

it.each([
  ['all hold, and all clusters are ready', [holds], { totalNum: 2, readyNum: 2 }, undefined],
  ['nothing is known of it', [], undefined, undefined],
  ['a condition does not hold', [condition('Ready', 'False', 'down')], undefined, { message: 'down' }],
  [
    'Ready sums up another',
    [condition('Ready', 'False', 'down'), condition('Healthy', 'Unknown', 'no answer')],
    { totalNum: 2, readyNum: 1 },
    { message: 'no answer' },
  ],
  ['there is no message', [condition('Ready', 'False')], undefined, { message: 'Tested' }],
  ['one cluster of two is not ready', [holds], { totalNum: 2, readyNum: 1 }, 1],
  ['no cluster is ready', [holds], { totalNum: 3, readyNum: 0 }, 3],
])('says why an instance needs attention where %s', (_, conditions, clusterSummary, expected) => {
  const summary = clusterSummary && { clusterSummary }
  const attention = attentionOf(
    create(InstanceSchema, { status: { conditions, ...(summary && { summary }) } }),
  )
  if (typeof expected === 'object') expect(attention).toMatchObject(expected)
  else expect(attention).toBe(expected)
})
