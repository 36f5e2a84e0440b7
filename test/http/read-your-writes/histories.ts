import fc from 'fast-check'
import type { World } from './world.js'
import { isContainer, PLAIN, SHIPS, type Spelling, type TypeName, type Verb } from './world-types.js'

/** One thing that happens in a world. A string says what is wrong. */
export type Step = (world: World) => unknown
type NamedStep = Step & { toString(): string }

/** What histories are about: objects of one type; or all types, what takes others along, and odd spellings. */
export type Breadth = 'one type' | 'all types'

const user = fc.constantFrom('ann', 'ben')
const namespace = fc.constantFrom('a', 'b')
const name = fc.constantFrom('x', 'y')
const which = fc.nat({ max: 5 })
const verb = fc.constantFrom<Verb>('create', 'update', 'delete')
const container = fc.constantFrom<TypeName>('namespaces', 'definitions')
/** Mostly the plainest of types, so that histories meet. */
const anyType = fc.oneof(
  { weight: 6, arbitrary: fc.constant<TypeName>('maps') },
  { weight: 2, arbitrary: fc.constantFrom<TypeName>('events', 'newEvents') },
  { weight: 2, arbitrary: fc.constant<TypeName>('ships') },
)
const anySpelling: fc.Arbitrary<Spelling> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(PLAIN) },
  { weight: 1, arbitrary: fc.record({ encoded: fc.nat({ max: 255 }), dryRun: fc.constant<'no'>('no') }) },
  {
    weight: 1,
    arbitrary: fc.record({
      encoded: fc.constant(0),
      dryRun: fc.constantFrom<Spelling['dryRun']>('query', 'query and body'),
    }),
  },
)
const typeOf = (breadth: Breadth) => (breadth === 'all types' ? anyType : fc.constant<TypeName>('maps'))
const spellingOf = (breadth: Breadth) => (breadth === 'all types' ? anySpelling : fc.constant(PLAIN))
const withContainers = (breadth: Breadth) =>
  breadth === 'all types' ? fc.oneof({ weight: 5, arbitrary: anyType }, container) : typeOf(breadth)

/** What an object of a type is called. */
const nameOf = (type: TypeName, namespace: string, name: string) =>
  type === 'definitions' ? SHIPS : type === 'namespaces' ? namespace : name

/** What may happen; everything but reads may also happen while somebody looks. */
export const happening = (breadth: Breadth): fc.Arbitrary<NamedStep> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(user, verb, withContainers(breadth), namespace, name, spellingOf(breadth))
        .map(([user, verb, type, namespace, name, how]) =>
          step(`${user} sends ${verb} ${type} ${namespace}/${name} ${fc.stringify(how)}`, world =>
            world.send(user, verb, type, namespace, nameOf(type, namespace, name), how),
          ),
        ),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          user,
          breadth === 'all types' ? fc.oneof(anyType, fc.constant<TypeName>('definitions')) : typeOf(breadth),
          namespace,
          spellingOf(breadth),
        )
        .map(([user, type, namespace, how]) =>
          step(`${user} deletes all ${type} in ${namespace} ${fc.stringify(how)}`, world =>
            world.send(user, 'deletecollection', type, namespace, '', how),
          ),
        ),
    },
    { weight: 3, arbitrary: which.map(which => step(`execute ${which}`, world => world.execute(which))) },
    { weight: 2, arbitrary: which.map(which => step(`collect ${which}`, world => world.collect(which))) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(which, fc.constantFrom('whole', 'whole', 'whole', 'unreadable', 'lost'))
        .map(([which, how]) => step(`answer ${which} ${how}`, world => world.answer(which, how as 'whole'))),
    },
    {
      weight: 4,
      arbitrary: which.map(which => step(`advance ${which}`, world => world.objects.advance(which))),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        step('restart', world => world.objects.restart()),
        step('relist', world => world.objects.relist()),
      ),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(500, 3_000, 66_000)
        .map(time => step(`${time} ms pass`, world => world.pass(time))),
    },
  )
const reading = (breadth: Breadth) =>
  fc
    .tuple(user, withContainers(breadth), fc.constantFrom('', 'a', 'b'), fc.option(name, { nil: undefined }))
    .map(([user, type, namespace, name]) => {
      const isInside = !isContainer(type)
      const scope = {
        namespace: !isInside ? '' : name === undefined ? namespace : namespace || 'a',
        ...(name !== undefined && { name: nameOf(type, namespace || 'a', name) }),
      }
      return step(`${user} reads ${type} ${scope.namespace}/${scope.name ?? ''}`, world =>
        world.reads(user, type, scope),
      )
    })

/** Whole writes at once, so that histories get somewhere; among them objects that are deleted and made again. */
const wrote = (breadth: Breadth) =>
  fc
    .tuple(
      user,
      fc.constantFrom('create', 'update', 'delete', 'delete and create', 'create, and it is lost'),
      typeOf(breadth),
      namespace,
      name,
      spellingOf(breadth),
    )
    .map(([user, verbs, type, namespace, name, how]) =>
      step(`${user} did ${verbs} ${type} ${namespace}/${name} ${fc.stringify(how)}`, world => {
        const [all = '', lost] = verbs.split(', and it is ')
        for (const verb of all.split(' and '))
          world.did(user, verb as Verb, type, namespace, name, { ...how, ...(lost && { answer: 'lost' }) })
      }),
    )

/** Others write, so that there is less room for what was written before. */
const crowd = fc
  .tuple(fc.constantFrom<TypeName>('maps', 'events', 'namespaces'), namespace, name)
  .map(([type, namespace, name]) =>
    step(`others update ${type} ${namespace}/${name}`, world => {
      for (const user of ['cid', 'dan', 'eve'])
        world.did(user, 'update', type, namespace, nameOf(type, namespace, name))
    }),
  )

/** One caller writes something of every type, so that there is less room for what it wrote before. */
const everything = fc
  .tuple(user, fc.constantFrom<Verb>('create', 'update'), namespace, name)
  .map(([user, verb, namespace, name]) =>
    step(`${user} did ${verb} all types ${namespace}/${name}`, world => {
      for (const type of ['ships', 'events', 'maps'] as const) world.did(user, verb, type, namespace, name)
      world.did(user, 'update', 'definitions', '', SHIPS)
    }),
  )

/** A container is deleted, with some of what is in it, and perhaps made again. */
const emptied = fc
  .tuple(
    user,
    container,
    namespace,
    fc.constantFrom<Verb>('delete', 'deletecollection'),
    fc.nat({ max: 4 }),
    fc.nat({ max: 4 }),
    anySpelling,
  )
  .map(([user, kind, namespace, given, collected, taken, how]) => {
    // Namespaces cannot be deleted many at once.
    const verb = kind === 'namespaces' ? 'delete' : given
    const words = `${user} did ${verb} ${kind} ${namespace}, ${collected} collected, ${taken} taken in`
    return step(`${words} ${fc.stringify(how)}`, world => {
      world.did('ann', 'create', kind === 'namespaces' ? 'maps' : 'ships', namespace, 'x')
      for (let times = 0; times < 9; times++) world.objects.advance(times)
      world.did(user, verb, kind, '', nameOf(kind, namespace, ''), how)
      for (let times = 0; times < collected; times++) world.collect(0)
      for (let times = 0; times < taken; times++) world.objects.advance(times)
    })
  })

/** What deletions are about: what somebody else made is deleted and made again, and looked for now and then. */
const deleted = fc
  .tuple(namespace, name, fc.array(fc.nat({ max: 3 }), { minLength: 4, maxLength: 4 }))
  .map(([namespace, name, advances]) =>
    step(`deletions of ${namespace}/${name} between advances ${advances}`, async world => {
      const moves = [
        () => world.did('ann', 'create', 'maps', namespace, name),
        () => world.did('ben', 'delete', 'maps', namespace, name),
        () => world.did('ann', 'create', 'maps', namespace, name),
        () => world.did('ben', 'delete', 'maps', namespace, name),
      ]
      for (const [at, move] of moves.entries()) {
        move()
        const wrong = await world.reads('ben', 'maps', { namespace: '' })
        if (wrong) return wrong
        for (let times = advances[at] ?? 0; times > 0; times--) world.objects.advance(times)
      }
      return undefined
    }),
  )

const takeAllIn = (world: World) => {
  for (let times = 0; times < 9; times++) world.objects.advance(times)
}

/** An event is written through one group and read through the other. */
const twoGroups = fc
  .tuple(user, namespace, name, fc.constantFrom<Verb>('update', 'delete'))
  .map(([user, namespace, name, verb]) =>
    step(`${user} did ${verb} newEvents ${namespace}/${name}, and reads events`, world => {
      world.did('ann', 'create', 'events', namespace, name)
      takeAllIn(world)
      world.did(user, verb, 'newEvents', namespace, name)
      return world.reads(user, 'events', { namespace })
    }),
  )

/** A namespace is deleted, and read while its objects go. */
const readWhileDeleted = fc.tuple(user, namespace).map(([user, namespace]) =>
  step(`${user} did delete namespace ${namespace}, and reads it while it goes`, async world => {
    world.did('ann', 'create', 'maps', namespace, 'x')
    world.did(user, 'delete', 'namespaces', '', namespace)
    takeAllIn(world)
    for (let times = 0; times < 3; times++) {
      const wrong = await world.reads(user, 'maps', { namespace })
      if (wrong) return wrong
      world.collect(0)
    }
    return undefined
  }),
)

const moving = user.map(user => step(`${user} moves`, world => world.move(user)))

/** @param moves whether callers move from replica to replica */
export const history = (breadth: Breadth, moves: boolean): fc.Arbitrary<NamedStep[]> => {
  const isBroad = breadth === 'all types'
  return fc.array(
    fc.oneof(
      { weight: 3, arbitrary: happening(breadth) },
      { weight: 3, arbitrary: wrote(breadth) },
      { weight: 1, arbitrary: deleted },
      { weight: isBroad ? 2 : 0, arbitrary: emptied },
      { weight: isBroad ? 1 : 0, arbitrary: crowd },
      { weight: isBroad ? 1 : 0, arbitrary: everything },
      { weight: isBroad ? 1 : 0, arbitrary: twoGroups },
      { weight: isBroad ? 1 : 0, arbitrary: readWhileDeleted },
      { weight: 4, arbitrary: reading(breadth) },
      { weight: moves ? 1 : 0, arbitrary: moving },
    ),
    { maxLength: 40 },
  )
}

function step(words: string, run: Step): NamedStep {
  return Object.assign((world: World) => run(world), {
    toString: () => words,
    [fc.toStringMethod]: () => words,
  })
}
