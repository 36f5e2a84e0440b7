import fc from 'fast-check'
import { expect, it } from 'vitest'
import { unauthenticated } from '../../../http/errors/failure.js'
import { ASK_MS, UNCONFIRMED_MS } from '../../../http/live/host-confirmation.js'
import { LOOK_MS } from '../../../http/live/live-calls.js'
import { UnreachableError } from '../../../ports/kube-api.js'
import { CallsUnderTest } from './calls-under-test.js'

const USERS = ['ann', 'bob', 'eve'] as const
/** Far more than what is promised for what the host alone knows. */
const BOUND_MS = 5_250

const user = fc.constantFrom(...USERS)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
const step = fc.oneof(
  fc.record({ do: fc.constant('open' as const), user }),
  fc.record({ do: fc.constant('close' as const), user }),
  fc.record({ do: fc.constant('lock' as const), user, of: fc.constantFrom('user', 'instance') }),
  fc.record({ do: fc.constant('unlock' as const), user }),
  fc.record({ do: fc.constant('give' as const), user, role: fc.constantFrom('Viewer', 'Editor') }),
  fc.record({ do: fc.constant('take' as const), user }),
  fc.record({ do: fc.constant('allow' as const), user }),
  fc.record({ do: fc.constant('deny' as const), user }),
  fc.record({ do: fc.constant('delete' as const), user }),
  fc.record({ do: fc.constant('restore' as const), user }),
  fc.record({ do: fc.constant('host down' as const) }),
  fc.record({ do: fc.constant('host up' as const) }),
)

/** The host is away for longer than calls go on unconfirmed. Random steps come upon that seldom. */
const SILENCE: [Step, number][] = [
  [{ do: 'host down' }, BOUND_MS],
  ...Array.from({ length: 13 }, (): [Step, number] => [{ do: 'close', user: 'ann' }, BOUND_MS]),
]

/** The same, but for a moment in which nothing is asked. */
const MOMENT: [Step, number][] = [...SILENCE.slice(0, 8), [{ do: 'host up' }, 100], ...SILENCE.slice(0, 6)]

/** For certain something is asked, and answered, when the host is there for so long. */
const ROUND_MS = ASK_MS + LOOK_MS

it('whatever happens to locks, roles, rights and accounts, nothing is open after the bound that would be refused now', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(step, fc.constantFrom(0, 100, 3_000, BOUND_MS)), {
        minLength: 5,
        maxLength: 40,
        size: 'max',
      }),
      async steps => {
        const calls = new CallsUnderTest()
        const gone = new Set<string>()
        let isDown = false
        let silentForMs = 0
        let upForMs = 0
        let longestSilenceMs = 0
        const reach = () => {
          if (isDown) throw new UnreachableError('connect ECONNREFUSED', 'ECONNREFUSED')
        }
        calls.host.script = () => {
          reach()
          return undefined
        }
        const caller = (name: string) =>
          calls.caller(
            name,
            {},
            {
              ask: async () => {
                reach()
                if (gone.has(name)) throw unauthenticated('unknown')
                return calls.caller(name)
              },
            },
          )
        const open: { user: string; call: ReturnType<CallsUnderTest['open']>; isClosed: boolean }[] = []
        calls.allowed.add('always')
        const always = calls.open({ caller: calls.caller('always') })
        const holds = (name: string) =>
          calls.locked.refusal(calls.caller(name), 'north') === undefined &&
          !gone.has(name) &&
          (calls.allowed.has(name) ||
            [...calls.bindings.givenTo('north', { user: name, groups: [] })].length > 0)
        const check = () => {
          for (const one of open)
            if (!one.isClosed && one.call.ended === undefined)
              expect([one.user, holds(one.user)]).toEqual([one.user, true])
        }
        let locksEveryone = false
        for (const name of USERS) calls.allowed.add(name)
        for (const [one, ms] of steps) {
          if (one.do === 'host down') isDown = true
          else if (one.do === 'host up') isDown = false
          else if (one.do === 'open') {
            // As a door does: only who is let in has a call.
            if (holds(one.user) && !isDown)
              open.push({ user: one.user, call: calls.open({ caller: caller(one.user) }), isClosed: false })
          } else if (one.do === 'close') {
            for (const found of open)
              if (found.user === one.user) {
                found.call.close()
                found.isClosed = true
              }
          } else if (one.do === 'lock') {
            locksEveryone ||= one.of === 'instance'
            calls.locks.lock(`${one.user}`, one.of === 'user' ? { user: one.user } : { instance: 'north' })
          } else if (one.do === 'unlock') calls.locks.unlock(one.user)
          else if (one.do === 'give')
            calls.bindings.give(one.user, one.role as 'Viewer', {
              instance: 'north',
              subject: { kind: 'User', name: one.user },
            })
          else if (one.do === 'take') calls.bindings.take(one.user)
          else if (one.do === 'allow') calls.allowed.add(one.user)
          else if (one.do === 'deny') calls.allowed.delete(one.user)
          else if (one.do === 'delete') gone.add(one.user)
          else gone.delete(one.user)
          await calls.pass(ms)
          upForMs = isDown ? 0 : upForMs + ms
          silentForMs = upForMs >= ROUND_MS ? 0 : silentForMs + ms
          longestSilenceMs = Math.max(longestSilenceMs, silentForMs)
          if (ms === BOUND_MS && !isDown) check()
        }
        isDown = false
        await calls.pass(BOUND_MS)
        check()
        // When the host is away the last answer is as old as one round of requests.
        const isConfirmed = longestSilenceMs + ROUND_MS < UNCONFIRMED_MS
        if (!locksEveryone && isConfirmed) expect(always.ended).toBeUndefined()
      },
    ),
    { numRuns: 200, examples: [[SILENCE], [MOMENT]] },
  )
})
