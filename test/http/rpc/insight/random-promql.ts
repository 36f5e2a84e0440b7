import fc from 'fast-check'
import { INSTANCE_LABEL } from '../../../conformance/metrics/samples.js'

const oneOf = (...values: string[]): fc.Arbitrary<string> => fc.constantFrom(...values)
const space = oneOf('', ' ', '\n', '\t ', ' # a comment } { " \n', ' #\r\n')
const join = (...parts: readonly (string | fc.Arbitrary<string>)[]): fc.Arbitrary<string> =>
  fc
    .tuple(...parts.map(part => (typeof part === 'string' ? fc.constant(part) : part)))
    .map(all => all.join(''))

/** Quoted in one of the three ways, with what could end a selector early. */
const quoted = (text: string): fc.Arbitrary<string> =>
  oneOf(
    JSON.stringify(text),
    `'${JSON.stringify(text).slice(1, -1).replace(/\\"/g, '"').replace(/'/g, "\\'")}'`,
  )
const values = oneOf(
  'api',
  'north',
  'south',
  'sensor',
  'GET',
  '',
  '.*',
  'n.+',
  'a}b',
  '{',
  '"',
  '#',
  "it's",
  'ünï',
)
const label = oneOf('job', 'zone', 'method', 'kind', 'owner', 'by', 'sum', 'offset', 'start', INSTANCE_LABEL)
const operator = oneOf('=', '!=', '=~', '!~')
const matcher = fc.tuple(label, space, operator, space, values.chain(quoted)).map(parts => parts.join(''))
const metric = oneOf('temperature', 'requests_total', 'odd', 'nothing', 'sum', 'by', 'job:requests:rate5m')
const matchers = fc
  .tuple(fc.array(matcher, { maxLength: 3 }), space, fc.boolean())
  .map(([all, gap, comma]) => `{${gap}${all.join(`,${gap}`)}${comma && all.length > 0 ? ',' : ''}${gap}}`)
const selector = fc.oneof(
  metric,
  join(metric, space, matchers),
  // Prometheus wants at least one matcher that does not match the empty text.
  fc
    .tuple(metric.chain(quoted), matchers)
    .map(([name, rest]) => `{__name__=${name},${rest.slice(1)}`.replace(/,\s*}$/, '}')),
  matchers.map(rest => `{__name__=~"temp.+|requests_.+",${rest.slice(1)}`),
)
const duration = oneOf('1m', '5m', '90s', '1m30s', '2h')
const at = oneOf(
  '',
  '',
  ' @ 1600000300',
  ' @ end()',
  ' @ start()',
  ' offset 1m',
  ' offset -2m',
  ' @ 1600000400 offset 30s',
)
const labels = fc.uniqueArray(label, { maxLength: 3 }).map(all => `(${all.join(', ')})`)
const over = oneOf('rate', 'increase', 'max_over_time', 'last_over_time', 'count_over_time')
const of = oneOf('abs', 'ceil', 'sgn', 'sort', 'timestamp', 'scalar')
const number = oneOf('1', '0.5', '1e3', '0x1F', 'Inf', 'NaN', '-2')
const modifier = fc.oneof(
  fc.constant(''),
  join(oneOf(' on', ' ignoring'), labels, oneOf('', '', ' group_left()', ' group_right(zone)')),
)

/**
 * Random PromQL: selectors of every form below functions, aggregations, operators, subqueries, offsets, times and comments. Without
 * `absent`, whose answer has the labels of its matchers.
 */
export const promQl = (): fc.Arbitrary<string> =>
  fc.letrec<{ expression: string }>(tie => {
    const expression = tie('expression')
    const ranged = fc.oneof(
      join(selector, '[', duration, ']', at),
      join('(', expression, ')[', duration, ':', oneOf('', '30s', '1m'), ']', at),
    )
    return {
      expression: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        join(selector, at),
        number,
        join(over, space, '(', space, ranged, ')'),
        join(of, '(', expression, space, ')'),
        join(
          oneOf('sum', 'max', 'count', 'avg', 'SUM'),
          oneOf(' by ', ' without '),
          labels,
          '(',
          expression,
          ')',
        ),
        join(oneOf('topk', 'bottomk', 'quantile'), '(', oneOf('1', '0.5'), ', ', expression, ')', space),
        join(
          '(',
          expression,
          ')',
          oneOf(' + ', ' - ', '*', ' / ', ' atan2 ', '^'),
          modifier,
          ' (',
          expression,
          ')',
        ),
        join(
          '(',
          expression,
          ')',
          oneOf(' and', ' or', ' unless'),
          oneOf('', ' on()', ' on(job)'),
          ' (',
          expression,
          ')',
        ),
        join(expression, oneOf(' > ', ' <= ', ' == bool ', ' != '), number),
        join('-', expression),
        join('label_replace(', expression, ', "added", "$1", "job", "(.*)")'),
        join('vector(', number, ')'),
      ),
    }
  }).expression
