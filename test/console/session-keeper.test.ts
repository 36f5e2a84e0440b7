import { beforeEach, describe, expect, it } from 'vitest'
import type { Session } from '../../console/session/session.js'
import { SessionKeeper, type SessionState } from '../../console/session/session-keeper.js'
import { settled, TestClock } from './test-clock.js'

const MINUTE = 60_000

let clock: TestClock
let server: TestServer

/** The session of a browser, as the server has it. */
class TestServer {
  session: Session | undefined
  isAway = false
  /** How long a renewal lasts; undefined where the issuer refuses. */
  lasts: number | undefined = 10 * MINUTE
  readonly asked: string[] = []
  #turn: Promise<void> = Promise.resolve()

  current = async () => {
    this.#ask('current')
    return this.session && (this.session.expiresAt ?? Number.POSITIVE_INFINITY) > clock.now()
      ? this.session
      : undefined
  }

  renew = async () => {
    this.#ask('renew')
    if (this.lasts === undefined || !this.session?.isRenewable) return undefined
    this.session = { ...this.session, expiresAt: clock.now() + this.lasts }
    return this.session
  }

  withLock = (work: () => Promise<void>) => {
    const mine = this.#turn.then(work)
    this.#turn = mine.catch(() => undefined)
    return mine
  }

  #ask(what: string): void {
    this.asked.push(what)
    if (this.isAway) throw new Error('the server is away')
  }
}

const of = (user: string, minutes?: number, isRenewable = true): Session => ({
  user,
  groups: [],
  isRenewable,
  ...(minutes !== undefined && { expiresAt: clock.now() + minutes * MINUTE }),
})

/** A tab of this browser. */
function tab(session: Session) {
  server.session = session
  const keeper = new SessionKeeper(session, server, clock)
  const states: SessionState['is'][] = []
  keeper.onChange(({ is }) => states.push(is))
  keeper.start()
  return { keeper, states }
}

beforeEach(() => {
  clock = new TestClock()
  server = new TestServer()
})

describe('a session of an issuer', () => {
  it('is renewed before it ends, for as long as the page is open', async () => {
    const { states, keeper } = tab(of('ada', 10))
    await clock.pass(60 * MINUTE)
    expect(new Set(states)).toEqual(new Set(['valid']))
    expect(server.asked.filter(what => what === 'renew')).toHaveLength(7)
    keeper.stop()
    const asked = server.asked.length
    await clock.pass(60 * MINUTE)
    expect(server.asked).toHaveLength(asked)
  })

  it('is renewed by one tab for all tabs', async () => {
    const session = of('ada', 10)
    const [one, other] = [tab(session), tab(session)]
    await clock.pass(9 * MINUTE)
    expect(server.asked.filter(what => what === 'renew')).toHaveLength(1)
    expect(one.keeper.state().session).toEqual(other.keeper.state().session)
  })

  it('is renewed when the network is back, if that is before its end', async () => {
    const { states, keeper } = tab(of('ada', 10))
    server.isAway = true
    await clock.pass(9 * MINUTE)
    server.isAway = false
    await clock.pass(0.5 * MINUTE)
    expect([states, keeper.state().session.expiresAt! - clock.now() > 9 * MINUTE]).toEqual([['valid'], true])
  })

  it('that the issuer does not renew is over at its end, and not before', async () => {
    const { states } = tab(of('ada', 10))
    server.lasts = undefined
    await clock.pass(10 * MINUTE - 1)
    expect(states).toEqual(['valid'])
    await clock.pass(1)
    expect(states).toEqual(['valid', 'over'])
  })

  it('that ended while the machine slept is renewed on `check`', async () => {
    const { keeper } = tab(of('ada', 10))
    keeper.stop()
    clock.time += 60 * MINUTE
    await keeper.check()
    expect(keeper.state()).toMatchObject({ is: 'valid', session: { user: 'ada' } })
  })
})

describe('any session', () => {
  it('without a known end is read only after a refusal', async () => {
    const { states, keeper } = tab(of('ada', undefined, false))
    await clock.pass(24 * 60 * MINUTE)
    expect(server.asked).toEqual([])
    server.session = undefined
    await keeper.check()
    expect(states).toEqual(['over'])
  })

  it('that is over is read once a refusal, and never renewed', async () => {
    const { keeper } = tab(of('ada', 10, false))
    server.session = undefined
    await keeper.check()
    server.asked.length = 0
    await Promise.all([keeper.check(), keeper.check(), keeper.check()])
    expect(server.asked).toEqual(['current'])
  })

  it('is valid again when its user signs in again', async () => {
    const { states, keeper } = tab(of('ada', 10, false))
    await clock.pass(10 * MINUTE)
    expect(states).toEqual(['over'])
    server.session = of('ada', 10)
    await keeper.check()
    expect(states).toEqual(['over', 'valid'])
    await clock.pass(9 * MINUTE)
    expect(server.asked).toContain('renew')
  })

  it('is not replaced by that of another user: the state is `another` and the session stays', async () => {
    const { keeper } = tab(of('ada', 10))
    server.session = of('emil', 10)
    await keeper.check()
    expect(keeper.state()).toMatchObject({
      is: 'another',
      session: { user: 'ada' },
      other: { user: 'emil' },
    })
    server.session = of('ada', 10)
    await keeper.check()
    expect(keeper.state()).toMatchObject({ is: 'valid', session: { user: 'ada' } })
  })

  it('is not read any more when the page is left while its renewal fails', async () => {
    const { keeper } = tab(of('ada', 10))
    await clock.pass(7 * MINUTE)
    server.isAway = true
    const renewing = clock.pass(2 * MINUTE)
    keeper.stop()
    await renewing
    const asked = server.asked.length
    await clock.pass(60 * MINUTE)
    expect(server.asked).toHaveLength(asked)
  })

  it('with a far end, as with a clock that is behind, is not renewed until then', async () => {
    tab(of('ada', 60 * 24 * 60, false))
    await clock.pass(20 * 24 * 60 * MINUTE)
    expect(server.asked).toEqual([])
  })

  it('is not over because the server is away', async () => {
    const { keeper, states } = tab(of('ada', 10, false))
    server.isAway = true
    await keeper.check()
    await settled()
    expect([keeper.state().is, states]).toEqual(['valid', []])
  })
})
