import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addQuantities,
  formatQuantity,
  parseQuantity,
  QuantityError,
  ResourceSum,
  subtractQuantities,
  wholeUnits,
} from '../../manifests/quantity.js'

type ResourceList = Parameters<ResourceSum['add']>[0]
const sumOf = (...lists: ResourceList[]) =>
  lists.reduce<ResourceSum>((sum, list) => sum.add(list), new ResourceSum()).toResourceList()

describe('a quantity', () => {
  it.each([
    ['0', '0'],
    ['0Ki', '0'],
    ['1', '1'],
    ['1.5', '1500m'],
    ['.5', '500m'],
    ['2.', '2'],
    ['+3', '3'],
    ['-1.5Gi', '-1536Mi'],
    ['1000m', '1'],
    ['47880m', '47880m'],
    ['1000', '1k'],
    ['1024', '1024'],
    ['1024Ki', '1Mi'],
    ['1023Ki', '1023Ki'],
    ['0.5Ki', '512'],
    ['1.0001Ki', '1024102400u'],
    ['1e3', '1e3'],
    ['15E-1', '1500e-3'],
    ['1E', '1E'],
    ['100n', '100n'],
    ['0.1n', '1n'],
    ['9223372036854775807', '9223372036854775807'],
    // What Go prints of these was looked at: only binary suffixes are capped.
    ['99999999999999999999', '99999999999999999999'],
    ['100E', '100E'],
    ['8Ei', '9223372036854775807'],
    ['-8Ei', '-9223372036854775807'],
    ['99999999999999999999Ki', '9223372036854775807'],
    ['0.1Ki', '102400m'],
    ['0.0001Ki', '102400u'],
    ['1e30', '1e30'],
    ['1e100', '10e99'],
    ['5e-10', '1e-9'],
    ['1e999', '1e999'],
  ])('%s has the canonical form %s', (text, canonical) =>
    expect(formatQuantity(parseQuantity(text))).toBe(canonical),
  )

  it.each([
    '',
    ' 1',
    '1 ',
    '1Kb',
    '1ki',
    'm',
    '1.2.3',
    '--1',
    'Infinity',
    'NaN',
    '0x10',
    '1e',
    '1e1000',
    '1_000',
  ])('%j is refused', text => expect(() => parseQuantity(text)).toThrow(QuantityError))

  it('survives a round trip through its canonical form', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }),
        fc.constantFrom('DecimalSI' as const, 'BinarySI' as const, 'DecimalExponent' as const),
        (nano, format) => {
          expect(parseQuantity(formatQuantity({ nano, format })).nano).toBe(nano)
        },
      ),
    )
  })

  it('of a million digits is written without dividing by each of them', () => {
    const zeros = '0'.repeat(300_000)
    expect(formatQuantity(parseQuantity(`1${zeros}e1`))).toBe('10e300000')
    expect(formatQuantity(parseQuantity(`1${zeros}`))).toBe(`1${'0'.repeat(300_000 - 18)}E`)
    expect(formatQuantity(parseQuantity(`1${zeros}1`))).toBe(`1${zeros}1`)
  })

  it('is added without floating-point loss', () => {
    const tenths = Array.from({ length: 10_000 }, () => parseQuantity('100m'))
    expect(formatQuantity(tenths.reduce(addQuantities))).toBe('1k')
    expect(sumOf({ memory: '9007199254740993' }, { memory: '1' })).toEqual({
      memory: '9007199254740994',
    })
  })

  it('keeps the suffix family of the first part that is not zero', () => {
    expect(sumOf({ memory: '0' }, { memory: '1Gi' }, { memory: '1048576' })).toEqual({
      memory: '1025Mi',
    })
    expect(formatQuantity(subtractQuantities(parseQuantity('1Gi'), parseQuantity('1Mi')))).toBe('1023Mi')
  })

  it('is rounded away from zero to whole units', () => {
    expect(wholeUnits(parseQuantity('1500m'))).toBe(2n)
    expect(wholeUnits(parseQuantity('-1500m'))).toBe(-2n)
  })

  it.each(['99999999999999999999', '1e999'])(
    '%s is clamped to the largest number that messages hold',
    text => {
      expect(wholeUnits(parseQuantity(text))).toBe(2n ** 63n - 1n)
      expect(wholeUnits(parseQuantity(`-${text}`))).toBe(-(2n ** 63n) + 1n)
    },
  )

  it('lists of sums are sorted by name', () => {
    const sum = sumOf({ pods: '110', cpu: '500m' }, { cpu: 1, memory: '1Ki' })
    expect(Object.entries(sum)).toEqual([
      ['cpu', '1500m'],
      ['memory', '1Ki'],
      ['pods', '110'],
    ])
  })
})
