import { describe, expect, it } from 'vitest'
import type { Call } from '../../../../http/call/call.js'
import { readNamespaces } from '../../../../http/rpc/workspace/namespaces.js'
import { fakeLog } from '../../fakes/log.js'
import { instanceNamed } from '../fleet/fake-fleet.js'

const call = {
  caller: { user: 'ann', groups: [], extra: {} },
  signal: new AbortController().signal,
  log: fakeLog(),
  isOpen: () => true,
} as unknown as Call

/** Reads the namespaces of these instances, of which the caller may reach some and some are duplicates. */
const read = (names: readonly string[], { out = '', copy = '', broken = '' }) =>
  readNamespaces(
    {
      objects: {
        list: async (_: unknown, { instance }: { instance: string }) => {
          if (instance === broken) throw new Error('no answer')
          return { items: [{ metadata: { name: `of-${instance}` } }] }
        },
      } as never,
      authorizer: {
        decide: async (_: unknown, { name }: { name?: string }) => ({ allowed: name !== out }),
      } as never,
    },
    call,
    names.map(name => ({ name, instance: instanceNamed(name, name === copy) })),
  )

describe('the namespaces of instances', () => {
  it('are those of the instances that the caller may reach', async () => {
    expect(await read(['north', 'south'], { out: 'south' })).toEqual({
      found: [{ instance: 'north', namespace: 'of-north' }],
      unread: [],
    })
  })

  it('are not read of one that does not answer, nor of one that is a duplicate, and both are named', async () => {
    expect(await read(['north', 'east', 'copy'], { broken: 'north', copy: 'copy' })).toEqual({
      found: [{ instance: 'east', namespace: 'of-east' }],
      unread: ['copy', 'north'],
    })
  })
})
