import { expect, it } from 'vitest'
import { IssuerEntries } from '../../../playground/issuer/entries.js'
import type { KeptIssuer } from '../../../playground/issuer/kept-issuer.js'

/** The entries of an issuer, with a clock that a test sets. */
function entries() {
  const kept = { entries: {} } as KeptIssuer
  const clock = { now: 0 }
  const made = new IssuerEntries(
    kept,
    () => undefined,
    () => clock.now,
  )
  return { of: (model: string) => made.adapter(model), clock, kept }
}

it('an entry is found until its end', async () => {
  const { of, clock } = entries()
  await of('Session').upsert('a', { uid: 'u' }, 10)
  clock.now = 9_999
  expect(await of('Session').find('a')).toMatchObject({ uid: 'u' })
  clock.now = 10_000
  expect(await of('Session').find('a')).toBeUndefined()
  expect(await of('Session').findByUid('u')).toBeUndefined()
})

it('an entry is found among those of its model alone', async () => {
  const { of } = entries()
  await of('Interaction').upsert('a', { uid: 'u' }, 10)
  expect(await of('Session').find('a')).toBeUndefined()
  expect(await of('Session').findByUid('u')).toBeUndefined()
  expect(await of('Interaction').findByUid('u')).toMatchObject({ uid: 'u' })
})

it('of more than a thousand entries the oldest go', async () => {
  const { of, kept } = entries()
  for (let number = 0; number <= 1_000; number++) await of('Session').upsert(`${number}`, {}, 10)
  expect(Object.keys(kept.entries)).toHaveLength(1_000)
  expect(await of('Session').find('0')).toBeUndefined()
  expect(await of('Session').find('1000')).toBeDefined()
})

it('with a login end its codes and tokens, and the session stays', async () => {
  const { of } = entries()
  for (const model of ['Session', 'RefreshToken', 'AccessToken'])
    await of(model).upsert('a', { grantId: 'g' }, 10)
  await of('RefreshToken').revokeByGrantId('g')
  expect(await of('RefreshToken').find('a')).toBeUndefined()
  expect(await of('AccessToken').find('a')).toBeUndefined()
  expect(await of('Session').find('a')).toBeDefined()
})
