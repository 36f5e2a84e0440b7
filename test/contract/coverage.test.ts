import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Contract, sampleOf } from '../proto/sample.js'
import { coverageOf, type Runs } from './coverage.js'
import { requestOf } from './requests.js'
import { services } from './services/index.js'
import { problemsOf } from './validate.js'

const contract = JSON.parse(
  readFileSync(join(import.meta.dirname, '../proto/contract.json'), 'utf8'),
) as Contract
const operationOf = (rpc: string) => contract.operations.find(operation => operation.rpc === rpc)!

/** Scenarios whose outcome a function decides. */
const decided = async (run: Runs['run'], proves = ['Get']) => {
  const scenario = { proves, run: async () => undefined }
  const { proven, problems } = await coverageOf({ run }, [{ service: 'Core', scenarios: [scenario] }])
  return { proven: [...proven], problems: Object.fromEntries(problems) }
}
const called = new Set(['Core_Get', 'Core_List'])
const fails = (message: string) => Promise.reject(new Error(message))

describe('an operation of the contract counts as working', () => {
  it('when its scenario succeeds, and fails without it', async () => {
    expect(await decided(async (_s, _c, emptied) => (emptied ? fails('no name') : called))).toEqual({
      proven: ['Core_Get'],
      problems: {},
    })
  })

  it('not when its scenario would also accept an empty answer', async () => {
    expect(await decided(async () => called)).toEqual({
      proven: [],
      problems: { Core_Get: 'its scenario succeeds also when its handler does nothing' },
    })
  })

  it('not when its scenario fails, or does not call it', async () => {
    expect(await decided(() => fails('Get answered 404'))).toEqual({
      proven: [],
      problems: { Core_Get: 'Get answered 404' },
    })
    const other = async () => new Set(['Core_List'])
    expect((await decided(other)).problems).toEqual({ Core_Get: 'its scenario does not call it' })
  })

  it('independently of the other operations of its scenario', async () => {
    const run: Runs['run'] = async (_s, _c, emptied) => (emptied === 'Core_Get' ? fails('no name') : called)
    const { proven, problems } = await decided(run, ['Get', 'List'])
    expect([proven, Object.keys(problems)]).toEqual([['Core_Get'], ['Core_List']])
  })
})

describe('the check of an answer against the contract', () => {
  it.each(contract.operations.map(operation => [operation.rpc, operation.response] as const))(
    'accepts %s: all fields, no fields, additional fields',
    (_rpc, response) => {
      expect(problemsOf(contract, response, sampleOf(contract, response))).toEqual([])
      expect(problemsOf(contract, response, {})).toEqual([])
      expect(problemsOf(contract, response, { more: 1 })).toEqual([])
    },
  )

  const { response } = operationOf('GetIngress')
  it.each([
    [[], 'the answer is [], not an object'],
    [{ metadata: { name: 1 } }, 'metadata.name is 1, not string'],
    [{ metadata: { creationTimestamp: 1 } }, 'metadata.creationTimestamp is 1, not int64'],
    [{ metadata: { labels: { a: 1 } } }, 'metadata.labels.a is 1, not string'],
    [{ status: { clusters: [{ provider: 'OTHER' }] } }, 'status.clusters[0].provider is "OTHER", not one of'],
    [{ status: { clusters: {} } }, 'status.clusters is {}, not a list'],
    [{ spec: { rules: [{ http: null }] } }, 'spec.rules[0].http is null, not an object'],
  ])('refuses %j', (answer, problem) => {
    expect(problemsOf(contract, response, answer)).toEqual([expect.stringContaining(problem)])
  })
})

describe('a call of an operation', () => {
  const stage = { instance: 'i', cluster: 'm', namespace: 'n' }

  it('has its parameters in the path, the query and the body', () => {
    const { url, init } = requestOf(operationOf('UpdateIngress'), stage, { name: 'a b', data: '{}' })
    expect([init.method, url, init.body]).toEqual([
      'PUT',
      '/apis/kairship.io/v1alpha1/instances/i/namespaces/n/ingresses/a%20b',
      '{"data":"{}"}',
    ])
    const list = requestOf(operationOf('ListIngresses'), stage, { page: 2, name: 'x' })
    expect(list.url).toMatch(/ingresses\?page=2&name=x$/)
  })

  it('fails for parameters that it does not have', () => {
    expect(() => requestOf(operationOf('ListIngresses'), stage, { colour: 'red' })).toThrow('colour')
  })
})

describe('the scenarios', () => {
  it('prove every operation of the contract, each once, and no other', () => {
    const proven = services.flatMap(({ service, scenarios }) =>
      scenarios.flatMap(({ proves }) => proves.map(rpc => `${service}.${rpc}`)),
    )
    const known = contract.operations.map(({ service, rpc }) => `${service}.${rpc}`)
    expect([...proven].sort()).toEqual([...known].sort())
  })
})
