import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../../manifests/kube.js'
import { ListChange_Type as Type } from '../../../../proto/gen/kairship/types_pb.js'
import { type Fault, WatchedInstance } from '../../objects/watched-instance.js'
import { changed, Follower, type Template, truth } from './follower.js'

const names = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const fault: fc.Arbitrary<Fault> = fc.record({
  after: fc.nat(3),
  kind: fc.constantFrom<Fault['kind']>('cut', 'half a line', 'end', 'gone', 'refused', 'busy'),
})
const template = fc.record({
  app: fc.constantFrom('x', 'x', 'y'),
  state: fc.constantFrom('good', 'good', 'bad'),
})
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('write' as const), name: names, template }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), name: names }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('place' as const),
      name: names,
      cluster: fc.constantFrom('m1', 'm2'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('cluster' as const),
      name: fc.constantFrom('m1', 'm2'),
      up: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('faults' as const), faults: fc.array(fault, { maxLength: 4 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('read' as const), count: fc.nat(5) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('hang up' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('forge' as const), version: fc.integer({ min: 90, max: 140 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

async function take(one: Step, instance: WatchedInstance, follower: Follower): Promise<void> {
  switch (one.do) {
    case 'write': {
      const { app, state } = one.template
      const object: Partial<Template> = { metadata: { name: one.name, labels: { app } }, data: { state } }
      return instance.write('deployments', `shop/${one.name}`, object)
    }
    case 'remove':
      return instance.write('deployments', `shop/${one.name}`, undefined)
    case 'place': {
      const resource = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: one.name }
      const spec = { resource, clusters: [{ name: one.cluster, replicas: 1 }] }
      return instance.write('resourcebindings', `shop/${one.name}-deployment`, {
        spec,
      } as Partial<KubeObject>)
    }
    case 'cluster': {
      const conditions = [{ type: 'Ready', status: one.up ? 'True' : 'False' }]
      return instance.write('clusters', `/${one.name}`, {
        spec: {},
        status: { conditions },
      } as Partial<KubeObject>)
    }
    case 'faults':
      instance.faults.push(...one.faults)
      return
    case 'compact':
      return instance.compact()
    case 'hang up':
      return follower.hangUp()
    case 'forge': {
      await follower.hangUp()
      if (follower.token === '') return
      follower.token = changed(follower.token, ([, states]) => {
        states[0] = [String(one.version), states[0]?.[1] ?? '']
      })
      return
    }
    case 'read':
      for (let n = 0; n < one.count; n += 1) {
        instance.bookmark()
        if ((await follower.next()).type === Type.BOOKMARK) return
      }
      return
    case 'settle':
      await follower.settle()
      expect(follower.items).toEqual(truth(instance, follower.isDistributed))
  }
}

describe('a list that is followed over cut streams', () => {
  it.each([
    ['objects', false],
    ['objects and their distributions', true],
  ])(
    'of %s shows what matches, each change once, whatever breaks and whenever it is resumed',
    async (_, isDistributed) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async steps => {
          const instance = new WatchedInstance()
          const follower = new Follower(instance, isDistributed)
          try {
            for (const one of steps) await take(one, instance, follower)
            await take({ do: 'settle' }, instance, follower)
          } finally {
            await follower.hangUp()
          }
        }),
        { numRuns: 150 },
      )
    },
    120_000,
  )

  const begun = async (isDistributed = false) => {
    const instance = new WatchedInstance()
    const follower = new Follower(instance, isDistributed)
    const write = (name: string, state = 'good') =>
      take({ do: 'write', name, template: { app: 'x', state } } as Step, instance, follower)
    await write('a')
    await write('b')
    await follower.settle()
    follower.received = []
    return { instance, follower, write }
  }

  it('goes on by itself after its last change when its watch is cut', async () => {
    const { instance, follower, write } = await begun()
    instance.faults = [
      { after: 0, kind: 'cut' },
      { after: 1, kind: 'half a line' },
      { after: 0, kind: 'busy' },
    ]
    for (const name of ['c', 'd', 'e']) await write(name)
    await follower.settle()
    expect(follower.received).toEqual(['ADDED shop/c', 'ADDED shop/d', 'ADDED shop/e', 'BOOKMARK'])
    expect(instance.watches).toBe(4)
  })

  it.each([false, true])('is resumed with the changes since, distributed: %s', async isDistributed => {
    const { follower, write } = await begun(isDistributed)
    await follower.hangUp()
    await write('c')
    await write('a', 'bad')
    await follower.settle()
    expect(follower.received).toEqual(['BOOKMARK', 'ADDED shop/c', 'LEFT shop/a', 'BOOKMARK'])
  })

  type World = Awaited<ReturnType<typeof begun>>
  /** Puts another part into the first state of the follower's token. */
  const forge = ({ follower }: World, part: 'version' | 'digest', value: string) => {
    follower.token = changed(follower.token, ([, states]) => {
      const [version = '', digest = ''] = states[0] ?? []
      states[0] = part === 'version' ? [value, digest] : [version, value]
    })
  }

  it.each<[string, (world: World) => unknown]>([
    ['the past is compacted', ({ instance, write }) => write('c').then(() => instance.compact())],
    ['the caller is another', ({ follower }) => Object.assign(follower, { user: 'bob' })],
    ['the filter is another', ({ follower }) => Object.assign(follower, { filter: {} })],
    ['the state was never that', world => forge(world, 'digest', '0'.repeat(16))],
    ['the version is of the future', world => forge(world, 'version', '99999')],
    ['the token is of another release', ({ follower }) => Object.assign(follower, { token: 'list9.AAAA' })],
  ])('starts over when %s', async (_, change) => {
    const world = await begun()
    await world.follower.hangUp()
    await change(world)
    await world.follower.next()
    expect(world.follower.received).toEqual(['RESET'])
  })

  it('of distributions starts over when the bindings can be read, or can be read no more', async () => {
    const { instance, follower } = await begun(true)
    for (const forbid of [true, false]) {
      await follower.hangUp()
      if (forbid) instance.forbidden.add('resourcebindings')
      else instance.forbidden.clear()
      follower.received = []
      for (let type = Type.RESET; type !== Type.BOOKMARK; ) type = (await follower.next()).type
      expect(follower.received).toEqual(['RESET', 'ADDED shop/a', 'ADDED shop/b', 'BOOKMARK'])
    }
  })

  it.each(['x', 'list1', 'list1.', 'list1.%%', 'list1.e30', 'list1.bnVsbA', `list1.${'A'.repeat(2_000)}`])(
    'refuses %s, which is no token',
    async token => {
      const { follower } = await begun()
      await follower.hangUp()
      follower.token = token
      await expect(follower.next()).rejects.toThrow('resumeToken: is no token of a stream')
    },
  )

  it.each<[string, (world: World) => void]>([
    ['a version that is a query', world => forge(world, 'version', '1&limit=1')],
    ['a version of 19 digits', world => forge(world, 'version', '1'.repeat(19))],
    ['a digest that is too short', world => forge(world, 'digest', 'ab')],
    [
      'four states',
      ({ follower }) => {
        follower.token = changed(follower.token, ([, states]) => void states.push(null, null, null))
      },
    ],
  ])('refuses a token with %s', async (_, change) => {
    const world = await begun()
    await world.follower.hangUp()
    change(world)
    await expect(world.follower.next()).rejects.toThrow('resumeToken: is no token of a stream')
  })

  it('fails after several attempts in a row that did not work', async () => {
    const { instance, follower, write } = await begun()
    await follower.hangUp()
    instance.faults = Array.from({ length: 8 }, () => ({ after: 0, kind: 'end' as const }))
    await write('c')
    const before = instance.watches
    await follower.settle()
    // Eight did not work; the client came back with its token, and missed nothing.
    expect(instance.watches - before).toBe(9)
    expect(follower.received).toEqual(['BOOKMARK', 'BOOKMARK', 'ADDED shop/c', 'BOOKMARK'])
  })
})
