import { beforeEach, describe, expect, it } from 'vitest'
import { readiness, unansweredReviewsNotes } from '../../../http/health/readiness.js'
import { authenticatorOf } from '../../../http/identity/authenticate.js'
import { hostAuthorizer } from '../../../http/identity/authorize.js'
import { LATE_MS, PROBE_AFTER_MS, PROBE_PATIENCE_MS } from '../../../http/identity/host-reviews.js'
import { hostReviewsOf } from '../../../http/identity/host-reviews-of.js'
import { UnreachableError } from '../../../ports/kube-api.js'
import { Code } from '../../../transcoding/code.js'
import { fakeHost, refusal } from '../fakes/host.js'
import { fakeLog } from '../fakes/log.js'
import { settled } from '../live/calls-under-test.js'

type HostSays = 'answers' | 'hangs' | 'refuses'

/** A host whose reviews of tokens can fail alone, asked by one authenticator; time passes when the test says so. */
class ReviewsUnderTest {
  now = 0
  says: HostSays = 'answers'
  readonly gauges: [number, string][] = []
  readonly log = fakeLog()
  readonly host = fakeHost({
    tokens: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`t${n}`, { user: `user-${n}` }])),
    allows: () => true,
  })
  readonly #timers = new Set<{ readonly at: number; readonly work: () => void }>()
  readonly #hanging = new Set<() => void>()
  readonly reviews = hostReviewsOf({
    host: this.host,
    now: () => this.now,
    log: this.log,
    meter: {
      count: () => undefined,
      observe: () => undefined,
      gauge: (_, value, { of = '' } = {}) => this.gauges.push([value, of]),
    },
    after: (ms, work) => this.#later(ms, work),
  })
  readonly #authenticator = authenticatorOf({
    host: this.host,
    reviews: this.reviews.token,
    now: () => this.now,
    grace: { ms: 60_000, standingIn: () => undefined },
  })
  readonly #authorizer = hostAuthorizer({
    host: this.host,
    reviews: this.reviews.access,
    now: () => this.now,
  })

  constructor() {
    this.host.script = ({ path, timeoutMs = 0 }) => {
      if (!path.endsWith('/tokenreviews') || this.says === 'answers') return undefined
      if (this.says === 'refuses') throw refusal(403, 'Forbidden', 'tokenreviews is forbidden')
      return new Promise<undefined>((resolve, reject) => {
        const answer = () => resolve(undefined)
        this.#hanging.add(answer)
        this.#later(timeoutMs, () => {
          this.#hanging.delete(answer)
          reject(new UnreachableError('no answer within the time', 'TIMEOUT'))
        })
      })
    }
  }

  get asked(): number {
    return this.host.requests.filter(({ path }) => path.endsWith('/tokenreviews')).length
  }

  /** Whom the authenticator takes a token for, or the failure. */
  who(token: string) {
    return Promise.resolve(this.#authenticator.authenticate({ authorization: `Bearer ${token}` })).then(
      ({ user }) => user,
      error => error,
    )
  }

  /** As `who`; undefined while it waits. */
  begin(token: string) {
    const begun: { answer?: unknown } = {}
    void this.who(token).then(answer => (begun.answer = answer))
    return begun
  }

  async may() {
    return (await this.#authorizer.decide({ user: 'ada', groups: [], extra: {} }, { verb: 'get', path: '/' }))
      .allowed
  }

  /** The host answers what it was asked meanwhile, and from now on. */
  answerAll(): void {
    this.says = 'answers'
    for (const answer of this.#hanging) answer()
    this.#hanging.clear()
  }

  async pass(ms: number): Promise<void> {
    const until = this.now + ms
    await settled()
    for (;;) {
      const [next] = [...this.#timers].sort((one, other) => one.at - other.at)
      if (!next || next.at > until) break
      this.#timers.delete(next)
      this.now = next.at
      next.work()
      await settled()
    }
    this.now = until
    await settled()
  }

  /** The host hangs with TokenReviews, and three callers have found out. */
  async hung() {
    this.says = 'hangs'
    const waiting = [this.begin('t1'), this.begin('t2'), this.begin('t3')]
    await this.pass(LATE_MS)
    return waiting
  }

  #later(ms: number, work: () => void): () => void {
    const timer = { at: this.now + ms, work }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }
}

let world: ReviewsUnderTest
beforeEach(() => {
  world = new ReviewsUnderTest()
})

describe('a host that answers all but TokenReviews', () => {
  it('keeps nobody waiting once three in a row were late: who is new is refused at once, and told when to ask again', async () => {
    for (const { answer } of await world.hung())
      expect(answer).toMatchObject({ code: Code.UNAVAILABLE, details: { retryAfterSeconds: 1 } })
    const before = world.asked
    const next = world.begin('t4')
    await settled()
    expect(next.answer).toMatchObject({
      code: Code.UNAVAILABLE,
      message: expect.stringContaining('TokenReview: the host has answered none for 4 s'),
      details: { retryAfterSeconds: 1 },
    })
    expect(world.asked).toBe(before)
  })

  it('lets those go on whom it knew, and does not touch rights', async () => {
    expect(await world.who('t9')).toBe('user-9')
    await world.hung()
    await world.pass(15_000)
    expect(await world.who('t9')).toBe('user-9')
    expect(await world.may()).toBe(true)
  })

  it('is asked about nobody’s token each third second at most, and all go on when it answers that', async () => {
    await world.hung()
    const before = world.asked
    await world.pass(10 * (PROBE_AFTER_MS + PROBE_PATIENCE_MS))
    expect(world.asked - before).toBe(10)
    world.says = 'answers'
    await world.pass(PROBE_AFTER_MS + PROBE_PATIENCE_MS)
    expect(await world.who('t4')).toBe('user-4')
    expect(world.reviews.token.problem).toBeUndefined()
    const after = world.asked
    await world.pass(60_000)
    expect(world.asked).toBe(after)
  })

  it('is heard again as soon as it answers anybody', async () => {
    await world.hung()
    world.answerAll()
    await settled()
    expect(await world.who('t4')).toBe('user-4')
  })

  it('is not taken for silent for late answers among others', async () => {
    for (const token of ['t1', 't2', 't4', 't5']) {
      world.says = 'hangs'
      const late = world.begin(token)
      await world.pass(LATE_MS)
      expect(late.answer).toBeUndefined()
      world.says = 'answers'
      expect(await world.who(`not-${token}`)).toMatchObject({ code: Code.UNAUTHENTICATED })
    }
    expect(world.reviews.token.problem).toBeUndefined()
  })

  it('goes on keeping nobody waiting when the requests that were late are given up', async () => {
    await world.hung()
    await world.pass(20_000)
    const next = world.begin('t4')
    await settled()
    expect(next.answer).toMatchObject({ code: Code.UNAVAILABLE })
  })

  it('is asked again after a refusal among late answers: it is three in a row that are waited for no longer', async () => {
    world.says = 'hangs'
    world.begin('t1')
    world.begin('t2')
    await world.pass(LATE_MS)
    world.says = 'refuses'
    await world.who('t4')
    world.says = 'hangs'
    world.begin('t5')
    await world.pass(LATE_MS)
    const next = world.begin('t6')
    await settled()
    expect(next.answer).toBeUndefined()
  })

  it('is said to be by /readyz, the metric and the log, once, and to be well again', async () => {
    await world.hung()
    const problems = () =>
      Object.values(world.reviews)
        .map(({ problem }) => problem)
        .filter(problem => problem !== undefined)
    const { ready, text } = await readiness([], unansweredReviewsNotes(problems()))
    expect([ready, text]).toEqual([
      true,
      '[i]TokenReview: the host has answered none for 4 s: not within 4 s; whom it has to be asked about is refused\nreadyz check passed\n',
    ])
    await world.pass(30_000)
    world.says = 'answers'
    await world.pass(PROBE_AFTER_MS + PROBE_PATIENCE_MS)
    expect(problems()).toEqual([])
    expect(world.gauges).toEqual([
      [1, 'token'],
      [1, 'access'],
      [0, 'token'],
      [1, 'token'],
    ])
    expect(world.log.lines.map(({ level }) => level)).toEqual(['warn', 'info'])
  })

  it('is asked on where it refuses at once, and that is said as well', async () => {
    world.says = 'refuses'
    for (const token of ['t1', 't2', 't3', 't4'])
      expect(await world.who(token)).toMatchObject({ message: expect.stringContaining('is forbidden') })
    expect(world.asked).toBe(4)
    expect(world.reviews.token.problem).toContain('tokenreviews is forbidden')
    world.says = 'answers'
    expect(await world.who('t5')).toBe('user-5')
    expect(world.reviews.token.problem).toBeUndefined()
  })
})
