import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { someAtOnce } from '../../http/rpc/concurrency/some-at-once.js'
import { bindingsOf, type HttpMethod } from '../../transcoding/binding.js'
import type { Exchange } from '../contract/secrecy/calls.js'
import { PLANTED } from '../contract/secrecy/planted.js'
import { eventually } from '../scenarios/support/eventually.js'
import { restRequest } from '../scenarios/support/rest-request.js'
import { COLUMNS, type Column } from './columns.js'
import { ELSEWHERE, HIDDEN, type MatrixWorld, startMatrixWorld } from './matrix-world.js'
import { proxiedRequest } from './proxied-request.js'
import { type At, requestFor } from './requests.js'
import {
  AT_HOME,
  expected,
  expectedProxied,
  nameOf,
  operations,
  PROXIED,
  type Verdict,
  type Where,
} from './table.js'

/** Every column in every place over both wires: `KAIRSHIP_MATRIX=whole npx vitest run test/access`. Else what `isCalled` says. */
const WHOLE = process.env.KAIRSHIP_MATRIX === 'whole'
/** Calls of all columns that are under way at once. */
const AT_ONCE = 12

let matrix: MatrixWorld
beforeAll(async () => {
  matrix = await startMatrixWorld()
})
afterAll(() => matrix?.close())

const PLACES: readonly Where[] = [
  AT_HOME,
  { instance: 'own', namespace: 'other' },
  { instance: 'other', namespace: 'bound' },
  { instance: 'other', namespace: 'other' },
]
const WIRES = ['rest', 'grpc'] as const
type Wire = (typeof WIRES)[number]

/** These change the world for all others, where they are allowed; what is allowed like them stands for them. */
const NOT_MADE: Readonly<Record<string, string>> = {
  'Core.DeleteNamespace':
    'a role that may delete a namespace would lose it; UpdateNamespace and PatchNamespace are allowed alike',
}
/** Refused only where they change something: what is so already is not written. */
const NOT_WRITTEN = new Set(['Cluster.UncordonJoinedCluster'])

/** One call of the matrix. */
interface Case {
  readonly method: HttpMethod
  readonly column: Column
  readonly where: Where
  readonly wire: Wire
}

const atOf = ({ instance, namespace }: Where): At => ({
  instance: instance === 'own' ? matrix.own : matrix.other,
  member: matrix.member,
  namespace: namespace === 'bound' ? PLANTED : HIDDEN,
})

/** Columns that are called over gRPC too. What decides is the same for both wires. */
const ON_BOTH_WIRES = new Set(['No role', 'Viewer, namespaces', 'Admin', 'Platform'])
/** Columns that are called about another instance too: with the most that a role gives. */
const ABOUT_OTHERS = new Set(['Admin, namespaces', 'Admin'])

/** Where a column is called, and how. */
const isCalled = ({ title, role }: Column, { instance, namespace }: Where, wire: Wire): boolean => {
  if (WHOLE) return true
  if (instance === 'other') return namespace === 'bound' && wire === 'rest' && ABOUT_OTHERS.has(title)
  if (namespace === 'other') return wire === 'rest' && role?.covers === 'namespaces'
  return wire === 'rest' || ON_BOTH_WIRES.has(title)
}

function casesOf(method: HttpMethod, column: Column): Case[] {
  const isAllowed = expected(method, column, AT_HOME) === 'allowed'
  if (isAllowed && nameOf(method) in NOT_MADE) return []
  const seen = new Set<string>()
  const places = PLACES.filter(where => {
    const request = JSON.stringify(requestFor(method, atOf(where), isAllowed))
    return !seen.has(request) && seen.add(request)
  })
  return places.flatMap(where =>
    WIRES.filter(wire => isCalled(column, where, wire)).map(wire => ({ method, column, where, wire })),
  )
}

/** What a busy machine may answer to a call that is to be refused: the control plane was too slow for once. */
const NOT_NOW = new Set([4, 8, 14])

/** Makes a call, which changes nothing: one that could not be decided just now is made again. */
function make({ method, column, where, wire }: Case): Promise<Exchange> {
  const isAllowed = expected(method, column, where) === 'allowed'
  const request = requestFor(method, atOf(where), isAllowed)
  return eventually(`${nameOf(method)} is decided`, async () => {
    const exchange = await matrix.calls[wire](method, request, matrix.tokenOf(column))
    // A stream that has said nothing within its patience: on a busy machine a refusal takes longer.
    const isSilent = exchange.ok && exchange.text === '' && method.methodKind !== 'unary'
    const isDecided = exchange.ok ? !isSilent : !NOT_NOW.has(statusOf(exchange).code)
    return isAllowed || isDecided ? exchange : undefined
  })
}

/** The google.rpc.Status of a refusal. */
function statusOf({ status, text }: Exchange): { readonly code: number; readonly message: string } {
  return JSON.parse(status === 0 ? text.slice(text.indexOf('\n{') + 1) : text)
}

/** What became of a call, as the table says it; what is wrong after it was authorized counts as allowed. */
function outcomeOf(exchange: Exchange): 'allowed' | 'refused' | 'refused inside' | 'unauthenticated' {
  if (exchange.ok) return 'allowed'
  const { code, message } = statusOf(exchange)
  if (code === 16) return 'unauthenticated'
  if (code !== 7) return 'allowed'
  return message.includes('in API group "kairship.io"') ? 'refused' : 'refused inside'
}

/** Which outcomes a verdict is borne out by. No role of the matrix has rights in the member. */
const BORNE_OUT: Readonly<Record<Verdict, ReturnType<typeof outcomeOf>>> = {
  ...{ allowed: 'allowed', filtered: 'allowed', refused: 'refused' },
  ...{ 'refused inside': 'refused inside', member: 'refused inside' },
}

/** Names that a caller may not see, and its request does not say. */
function leaksOf({ method, column, where }: Case, { text }: Exchange): string[] {
  // Everybody sees their own events, which have the names that they asked for.
  if (column.platform || method.parent.name === 'AuditService') return []
  const said = JSON.stringify(requestFor(method, atOf(where), false))
  const secret = [ELSEWHERE, matrix.other, ...(column.role?.covers === 'instance' ? [] : [HIDDEN])]
  return secret.filter(name => text.includes(name) && !said.includes(name))
}

describe('every operation, by every role', () => {
  it.each(COLUMNS)('is answered over both wires as docs/access.md says: $title', async column => {
    const cases = operations.flatMap(method => casesOf(method, column))
    const wrong = await someAtOnce(cases, AT_ONCE, async one => {
      const { method, where, wire } = one
      const exchange = await make(one)
      const [wanted, found] = [expected(method, column, where), outcomeOf(exchange)]
      const isSo = BORNE_OUT[wanted] === found || (found === 'allowed' && NOT_WRITTEN.has(nameOf(method)))
      const leaks = leaksOf(one, exchange)
      const internal = !exchange.ok && [2, 13].includes(statusOf(exchange).code)
      if (isSo && leaks.length === 0 && !internal) return []
      const place = `${where.instance} instance, ${where.namespace} namespace, ${wire}`
      return [
        `${nameOf(method)} (${place}): ${wanted}, found ${found} ${leaks.join()} ${exchange.text.slice(0, 300)}`,
      ]
    })
    expect(wrong.flat()).toEqual([])
  })

  it('is refused without credentials at each of its paths, and over gRPC', async () => {
    const overGrpc = operations.map(method => () => matrix.calls.grpc(method, atHome(method), ''))
    const overRest = operations.flatMap(method =>
      bindingsOf(method).map(binding => () => {
        const { verb, path, body } = restRequest(method, binding, atHome(method))
        return matrix.calls.http(nameOf(method), verb, path, '', body)
      }),
    )
    expect(overRest.length).toBeGreaterThanOrEqual(operations.length)
    const wrong = await someAtOnce([...overGrpc, ...overRest], AT_ONCE, async call => {
      const exchange = await call()
      return outcomeOf(exchange) === 'unauthenticated' ? [] : [`${exchange.id}: ${exchange.text}`]
    })
    expect(wrong.flat()).toEqual([])
  })

  it('is refused with a credential of a member, and with one of an instance', async () => {
    const { members, karmadas } = matrix.world.playground
    for (const { server } of [members.get(matrix.member)!, karmadas.get(matrix.own)!]) {
      const token = await server.issueToken({ name: 'agent', groups: ['system:masters'] }, 3_600)
      for (const name of ['Instance.ListInstances', 'Core.ListSecrets', 'Cluster.JoinCluster']) {
        const method = operations.find(one => nameOf(one) === name)!
        for (const wire of WIRES)
          expect(outcomeOf(await matrix.calls[wire](method, atHome(method), token))).toBe('unauthenticated')
      }
    }
  })
})

const atHome = (method: HttpMethod) => requestFor(method, atOf(AT_HOME), false)

describe('requests to the proxy, by every role', () => {
  it.each(COLUMNS)('are answered as docs/access.md says: $title', async column => {
    const cases = PROXIED.flatMap(row =>
      PLACES.filter(
        ({ instance, namespace }) => WHOLE || instance === 'own' || namespace === 'bound',
      ).flatMap(where => row.verbs.map(verb => ({ row, where, verb }))),
    )
    const wrong = await someAtOnce(cases, AT_ONCE, async ({ row, where, verb }) => {
      const { instance, namespace } = atOf(where)
      const { method, path, body } = proxiedRequest(row, verb, namespace)
      const root = `/apis/kairship.io/v1alpha1/instances/${instance}/proxy`
      const title = `${verb}: ${row.title} (${where.instance} instance, ${where.namespace} namespace)`
      const exchange = await eventually(`${title} is decided`, async () => {
        const answer = await matrix.calls.http(title, method, root + path, matrix.tokenOf(column), body)
        return [429, 502, 503, 504].includes(answer.status) ? undefined : answer
      })
      const wanted = expectedProxied(row, column, where)
      const found = outcomeOfProxied(exchange)
      return wanted === found ? [] : [`${title}: ${wanted}, found ${found} ${exchange.text.slice(0, 200)}`]
    })
    expect(wrong.flat()).toEqual([])
  })
})

function outcomeOfProxied({ status, text }: Exchange): Verdict {
  if (status !== 403) return 'allowed'
  return text.includes('in API group \\"kairship.io\\"') ? 'refused' : 'refused inside'
}

describe('a namespace that no role of the caller covers', () => {
  const NOWHERE = 'never-made'
  /** An answer without what is its own: the id of its request, its tokens, and the name that was asked for. */
  const comparable = ({ status, text }: Exchange, name: string) =>
    `${status} ${text.replaceAll(name, NOWHERE).replaceAll(/"(requestId|resumeToken)":\s*"[^"]*"|^id: .*$/gm, '')}`
  /** Of two requests that an operation makes inside, either may be refused first. */
  const MOST_TRIES = 10
  /** What names a namespace. Everybody sees their own events, which these calls add to. */
  const compared = operations.filter(
    ({ parent, input }) =>
      parent.name !== 'AuditService' && input.fields.some(({ name }) => /namespace|data/.test(name)),
  )

  // Of instances: unseen.test.ts.
  it.each(
    COLUMNS.filter(({ title }) => WHOLE || title === 'Viewer, namespaces').filter(
      ({ role }) => role?.covers === 'namespaces',
    ),
  )('is answered as one that does not exist: $title', async column => {
    const different = await someAtOnce(compared, AT_ONCE, async method => {
      const answersIn = async (namespace: string): Promise<string> => {
        const request = requestFor(method, { ...atOf(AT_HOME), namespace }, false)
        return comparable(await matrix.calls.rest(method, request, matrix.tokenOf(column)), namespace)
      }
      const [found, absent] = [new Set<string>(), new Set<string>()]
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        found.add(await answersIn(HIDDEN))
        absent.add(await answersIn(NOWHERE))
        if ([...found].some(answer => absent.has(answer))) return []
      }
      return [`${nameOf(method)}: ${[...found].join()}\n${[...absent].join()}`.slice(0, 1_000)]
    })
    expect(different.flat()).toEqual([])
  })
})
