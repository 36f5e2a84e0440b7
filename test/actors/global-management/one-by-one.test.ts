import { expect, it } from 'vitest'
import { OneByOne } from '../../../actors/global-management/one-by-one.js'
import { ForeignBindingError } from '../../../ports/role-binding-deliveries.js'

const named = (names: readonly string[]) => new Map(names.map(name => [name, name]))
const refused = Array.from({ length: 400 }, (_, at) => `no${at}`)

/** Changes bindings of which those that are called `no…` are refused, and notes the others. */
const changing = (changed: string[]) => async (name: string) => {
  if (name.startsWith('no')) throw new ForeignBindingError('denied')
  changed.push(name)
  return true
}

it('comes past 150 refused bindings that stand side by side', async () => {
  const others = Array.from({ length: 300 }, (_, at) => `b${at}`)
  const changed: string[] = []
  const all = named([...refused.slice(0, 150), ...others])
  expect(await new OneByOne().change(all, changing(changed))).toMatchObject({
    ...{ changed: 300, refused: 150, isGivenUp: false },
  })
  expect(changed.sort()).toEqual(others.sort())
})

it('changes what is new, however many others are refused each time', async () => {
  const bindings = new OneByOne()
  const changed: string[] = []
  // 101 others are tried each time.
  for (const _ of Array(4))
    expect(await bindings.change(named(refused), changing(changed))).toMatchObject({ refused: 101 })
  const all = named([...refused, 'new'])
  expect(await bindings.change(all, changing(changed))).toMatchObject({ changed: 1, isGivenUp: true })
  expect(changed).toEqual(['new'])
})

it('is not given up where the last of a hundred is refused, and is where one more is', async () => {
  for (const [count, isGivenUp] of [
    [100, false],
    [101, true],
  ] as const)
    expect(await new OneByOne().change(named(refused.slice(0, count)), changing([]))).toMatchObject({
      isGivenUp,
      refused: count,
    })
})

it('takes a binding for new that was refused, went and came again', async () => {
  // Among four hundred that are refused it would be tried one time in four.
  for (const again of Array(10).keys()) {
    const bindings = new OneByOne()
    const changed: string[] = []
    const comesBack = new Map([['name', 'no']])
    await bindings.change(comesBack, changing(changed))
    for (const _ of Array(4)) await bindings.change(named(refused), changing(changed))
    await bindings.change(new Map([...named(refused), ['name', 'yes']]), changing(changed))
    expect(changed, `${again}`).toEqual(['yes'])
  }
})
