import { parser } from '@prometheus-io/lezer-promql'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boundedQuery, QueryRefusal } from '../../../../http/rpc/insight/bounded-query.js'
import { FUNCTIONS } from '../../../../http/rpc/insight/functions.js'
import { promQl } from './random-promql.js'

const bound = { label: 'kairship_instance', value: 'north' }
const bounded = (query: string) => boundedQuery(query, bound)
/** As the matcher of the bound. */
const M = 'kairship_instance="north"'

/** The texts of all nodes of a kind in a query. */
function nodesOf(query: string, name: string): string[] {
  const found: string[] = []
  parser.parse(query).iterate({
    enter: node => {
      if (node.name === name) found.push(query.slice(node.from, node.to))
    },
  })
  return found
}

describe('a bounded query', () => {
  it.each([
    ['up', `{${M},__name__="up"}`],
    ['up{}', `{${M},__name__="up"}`],
    ['up{job="a",}', `{${M},__name__="up",job="a"}`],
    ['{__name__="up"}', `{${M},__name__="up"}`],
    ['{__name__=~"u.*|kairship.*"}', `{${M},__name__=~"u.*|kairship.*"}`],
    ['{"up.utf8", "a.b"=~"c"}', `{${M},"up.utf8","a.b"=~"c"}`],
    ['{}', `{${M}}`],
    ['up{kairship_instance="south"}', `{${M},__name__="up",kairship_instance="south"}`],
    ['up{kairship_instance=~".*"}', `{${M},__name__="up",kairship_instance=~".*"}`],
    ['sum', `{${M},__name__="sum"}`],
    ['by{by="by"}', `{${M},__name__="by",by="by"}`],
    ['a:b:c', `{${M},__name__="a:b:c"}`],
    ['rate(up[5m])', `rate ( {${M},__name__="up"} [ 5m ] )`],
    ['up[5m:1m] offset -1m @ end()', `{${M},__name__="up"} [ 5m : 1m ] offset - 1m @ end ( )`],
    [
      'sum by (a) (x) / on(b) group_left(c) y',
      `sum by ( a ) ( {${M},__name__="x"} ) / on ( b ) group_left ( c ) {${M},__name__="y"}`,
    ],
    ['-(a and b unless c or d)', 'and or unless'],
    ['a # } or b{', `{${M},__name__="a"}`],
    ['a # comment\r or secret', `{${M},__name__="a"}`],
    ['a{ # }\n b="c" # "\n }', `{${M},__name__="a",b="c"}`],
    [`a{b="}",c='{',d=\`\n"\`}`, `{${M},__name__="a",b="}",c='{',d=\`\n"\`}`],
    ['a{b="\\"} or secret{c=\\""}', `{${M},__name__="a",b="\\"} or secret{c=\\""}`],
    ['1 + time()', '1 + time ( )'],
    ['"text"', '"text"'],
  ])('has the matcher in every selector: %s', (query, wanted) => {
    const written = bounded(query)
    if (wanted === 'and or unless') {
      expect(nodesOf(written, 'VectorSelector')).toEqual(
        ['a', 'b', 'c', 'd'].map(name => `{${M},__name__="${name}"}`),
      )
    } else expect(written).toBe(wanted)
  })

  it('has the matcher in every selector of any query, and as many selectors', () => {
    fc.assert(
      fc.property(promQl(), query => {
        const selectors = nodesOf(bounded(query), 'VectorSelector')
        for (const selector of selectors) expect(selector).toMatch(/^\{kairship_instance="north"[,}]/)
        expect(selectors).toHaveLength(nodesOf(query, 'VectorSelector').length)
        // A bare name would be a selector to a reader that takes the query apart in another way.
        expect(nodesOf(bounded(query), 'Identifier')).toEqual([])
        expect(nodesOf(bounded(query), 'LineComment')).toEqual([])
      }),
    )
  })

  it('has the matcher in every selector, or the query is refused, for any text', () => {
    const pieces = ['a', '{', '}', '"', "'", '`', '\\', '#', '\n', '\r', ',', '(', ')', '[', ']', '5m', ':']
    const more = [
      '=',
      '=~',
      '!',
      ' or ',
      ' by ',
      'sum',
      'rate',
      '@',
      ' offset ',
      '-',
      '\u2028',
      '\u0000',
      'é',
      'info',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces, ...more), { maxLength: 25 }), parts => {
        let written: string
        try {
          written = bounded(parts.join(''))
        } catch (error) {
          expect(error).toBeInstanceOf(QueryRefusal)
          return
        }
        for (const selector of nodesOf(written, 'VectorSelector'))
          expect(selector).toMatch(/^\{kairship_instance="north"[,}]/)
        expect(nodesOf(written, 'Identifier')).toEqual([])
        expect(nodesOf(written, '⚠')).toEqual([])
      }),
      { numRuns: 5_000 },
    )
  })

  it('bounded again gains only a second matcher', () => {
    fc.assert(
      fc.property(promQl(), query => {
        const once = bounded(query)
        expect(bounded(once).replaceAll(`${M},${M}`, M)).toBe(once)
      }),
    )
  })

  it('quotes any value of the bound', () => {
    expect(boundedQuery('up', { label: 'i', value: '"} or {x="\\' })).toBe(
      '{i="\\"} or {x=\\"\\\\",__name__="up"}',
    )
  })
})

describe('boundedQuery', () => {
  it.each([
    ['', 'is required'],
    [' \n ', 'is required'],
    ['up)', 'at 1:3 ")" is not PromQL'],
    ['up{a="b"', 'is not PromQL'],
    ['up{a="b\n"}', 'is not PromQL'],
    ['up\n  + }', 'at 2:5 "}" is not PromQL'],
    ['up{a="\\q"}', 'is not PromQL'],
    ['info(up)', 'calls info'],
    ['info(up, {a="b"})', 'calls info'],
    ['unknown_function(up)', 'is not PromQL'],
    ['up{__name__="down"}', 'names the metric twice'],
    ['up{a="b" or c="d"}', 'is not PromQL'],
    ['WITH (x = up) x', 'is not PromQL'],
    ['ünï', 'is not PromQL'],
    ['up; down', 'is not PromQL'],
    [`${'('.repeat(5_000)}up${')'.repeat(5_000)}`, 'nested too deeply'],
    [`${'-'.repeat(16_000)}up`, 'nested too deeply'],
    [`up${'+up'.repeat(5_000)}`, 'nested too deeply'],
    [`up{a="${'x'.repeat(16_384)}"}`, 'longer than 16384 characters'],
  ])('refuses %s', (query, words) => {
    expect(() => bounded(query)).toThrow(QueryRefusal)
    expect(() => bounded(query)).toThrow(words)
  })

  it('refuses every function of the grammar that is not on its list', () => {
    const inGrammar = new Set<string>()
    for (const { name } of parser.nodeSet.types) {
      const text = name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase()
      if (
        nodesOf(`${text}()`, 'FunctionIdentifier').length > 0 ||
        nodesOf(`${text}(a)`, 'FunctionIdentifier').length > 0
      )
        inGrammar.add(text)
    }
    expect(inGrammar.size).toBeGreaterThan(70)
    expect([...inGrammar].filter(name => !FUNCTIONS.has(name))).toEqual(['info'])
  })
})
