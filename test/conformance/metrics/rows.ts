/** One request to Prometheus' HTTP API over the samples of `samples.ts` for `north` and `south`, and what Prometheus answers. */
export interface Row {
  readonly claim: string
  readonly path: 'query' | 'query_range'
  readonly form: Readonly<Record<string, string>>
  readonly status: number
  readonly body: unknown
}

export const AT = '1600000600'
const OVER = { start: '1600000000', end: '1600000030' }
const temperature = '{kairship_instance="north",__name__="temperature"}'
const zone = (name: string) => ({
  __name__: 'temperature',
  ...{ job: 'sensor', kairship_instance: 'north', owner: 'owner-of-north', zone: name },
})
const odd = (labels: object) => ({ __name__: 'odd', kairship_instance: 'north', ...labels })
const fine = (resultType: string, result: unknown) => ({ status: 'success', data: { resultType, result } })
const wrong = (errorType: string, error: string) => ({ status: 'error', errorType, error })

const instant = (claim: string, query: string, body: unknown, status = 200): Row => ({
  claim,
  path: 'query',
  form: { query, time: AT },
  status,
  body,
})
const range = (claim: string, query: string, step: string, body: unknown, status = 200): Row => ({
  claim,
  path: 'query_range',
  form: { query, ...OVER, step },
  status,
  body,
})

/** Prometheus 2.42's own answers. */
export const rows: readonly Row[] = [
  instant(
    'a selector gives the last value of each series',
    temperature,
    fine('vector', [
      { metric: zone('north'), value: [1600000600, '101.25'] },
      { metric: zone('south'), value: [1600000600, '102.25'] },
    ]),
  ),
  instant(
    'values are text, also those that are no numbers, and labels are any text',
    '{kairship_instance="north",__name__="odd"}',
    fine('vector', [
      { metric: odd({ kind: 'high' }), value: [1600000600, '+Inf'] },
      { metric: odd({ kind: 'low' }), value: [1600000600, '-Inf'] },
      { metric: odd({ kind: 'nan' }), value: [1600000600, 'NaN'] },
      { metric: odd({ kind: 'text "\\\n', unicode: 'ünïcödé' }), value: [1600000600, '100'] },
    ]),
  ),
  instant(
    'a subquery and an offset are evaluated',
    'sum by ( job ) ( rate ( {kairship_instance="north",__name__="requests_total"} [ 5m : 1m ] offset 1m ) )',
    fine('vector', [{ metric: { job: 'api' }, value: [1600000600, '0.2'] }]),
  ),
  instant(
    'a time by @ and an offset into the future are evaluated',
    `max_over_time ( ${temperature} [ 2m ] @ end ( ) offset - 1m )`,
    fine(
      'vector',
      ['north', 'south'].map((name, index) => {
        const { __name__, ...metric } = zone(name)
        return { metric, value: [1600000600, `10${2 + index}.5`] }
      }),
    ),
  ),
  instant('a number is a scalar', `scalar ( sum ( ${temperature} ) )`, fine('scalar', [1600000600, '203.5'])),
  instant('a division by zero is a number', '1 / 0', fine('scalar', [1600000600, '+Inf'])),
  instant('a text is a string', '"text"', fine('string', [1600000600, 'text'])),
  instant(
    'a range selector is a matrix',
    '{kairship_instance="north",__name__="temperature",zone="north"} [ 30s ]',
    fine('matrix', [
      {
        metric: zone('north'),
        values: [
          [1600000570, '100.5'],
          [1600000585, '102.25'],
          [1600000600, '101.25'],
        ],
      },
    ]),
  ),
  instant(
    'a name without series gives nothing',
    '{kairship_instance="north",__name__="nothing"}',
    fine('vector', []),
  ),
  instant(
    'matchers of one label must all hold',
    '{kairship_instance="north",__name__="temperature",kairship_instance="south"}',
    fine('vector', []),
  ),
  instant(
    'a query that is no PromQL is bad data',
    `${temperature} )`,
    wrong('bad_data', `invalid parameter "query": 1:53: parse error: unexpected right parenthesis ')'`),
    400,
  ),
  instant(
    'arguments of a wrong type are bad data',
    `rate ( ${temperature} )`,
    wrong(
      'bad_data',
      'invalid parameter "query": 1:8: parse error: expected type range vector in call to function "rate", got instant vector',
    ),
    400,
  ),
  instant(
    'a function that it does not have is bad data',
    `mad_over_time ( ${temperature} [ 1m ] )`,
    wrong(
      'bad_data',
      'invalid parameter "query": 1:1: parse error: unknown function with name "mad_over_time"',
    ),
    400,
  ),
  instant(
    'a query that cannot be evaluated is an execution error',
    '{kairship_instance="north",__name__="requests_total"} / on ( job ) {kairship_instance="north",__name__="requests_total"}',
    wrong(
      'execution',
      'found duplicate series for the match group {job="api"} on the right hand-side of the operation: [{__name__="requests_total", job="api", kairship_instance="north", method="POST"}, {__name__="requests_total", job="api", kairship_instance="north", method="GET"}];many-to-many matching not allowed: matching labels must be unique on one side',
    ),
    422,
  ),
  {
    claim: 'a query whose time is over is a timeout',
    path: 'query',
    form: { query: temperature, timeout: '0ms' },
    status: 503,
    body: wrong('timeout', 'query timed out in query execution'),
  },
  range(
    'a range has a value for each step, and steps may be parts of a second',
    '{kairship_instance="north",__name__="temperature",zone="north"}',
    '7.5',
    fine('matrix', [
      {
        metric: zone('north'),
        values: [
          [1600000000, '100'],
          [1600000007.5, '100'],
          [1600000015, '101.75'],
          [1600000022.5, '101.75'],
          [1600000030, '100.75'],
        ],
      },
    ]),
  ),
  range(
    'a number over a range is one series without labels',
    '1 / 0',
    '30',
    fine('matrix', [
      {
        metric: {},
        values: [
          [1600000000, '+Inf'],
          [1600000030, '+Inf'],
        ],
      },
    ]),
  ),
  range(
    'a range selector has no values over a range',
    `${temperature} [ 1m ]`,
    '30',
    wrong(
      'bad_data',
      'invalid expression type "range vector" for range query, must be Scalar or instant Vector',
    ),
    400,
  ),
  range(
    'more than 11,000 steps are bad data',
    '1',
    '0.001',
    wrong(
      'bad_data',
      'exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)',
    ),
    400,
  ),
  range(
    'a step of centuries is bad data',
    '1',
    '1e+21',
    wrong(
      'bad_data',
      'invalid parameter "step": cannot parse "1e+21" to a valid duration. It overflows int64',
    ),
    400,
  ),
]
