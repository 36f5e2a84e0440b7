import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isFirstClaim, OldestClaims } from '../../../actors/fleet/oldest-claims.js'
import type { Instance } from '../../../manifests/instance.js'

const instance = (name: string, second: number): Instance =>
  ({ metadata: { name, creationTimestamp: `2026-01-01T00:00:${10 + second}Z` } }) as Instance

const step = fc.record({
  name: fc.constantFrom(...'abcdefgh'),
  second: fc.nat(4),
  act: fc.constantFrom('set', 'set again', 'delete'),
})

it('the oldest of instances that come, change and go is the one that sorting them finds', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), steps => {
      const claims = new OldestClaims()
      const present = new Map<string, Instance>()
      for (const { name, second, act } of steps) {
        const known = present.get(name)
        if (act === 'delete') {
          expect(claims.delete(name)).toBe(present.delete(name))
        } else {
          // An Instance that changes is another object, and keeps its age; one of the same name that is made anew does not.
          const next = act === 'set again' && known ? structuredClone(known) : instance(name, second)
          claims.set(next)
          present.set(name, next)
        }
        const [oldest] = [...present.values()].sort((a, b) => (isFirstClaim(a, b) ? -1 : 1))
        expect(claims.oldest).toBe(oldest)
        expect(claims.has(name)).toBe(present.has(name))
      }
    }),
  )
})
