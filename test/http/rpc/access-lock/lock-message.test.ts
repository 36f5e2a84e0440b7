import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { lockMessageOf, lockOf } from '../../../../http/rpc/access-lock/lock-message.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { CreateAccessLockRequestSchema } from '../../../../proto/gen/kairship/accesslock_pb.js'

const NOON = Date.parse('2026-11-24T12:00:00Z')
const asked = (request: MessageInitShape<typeof CreateAccessLockRequestSchema>) =>
  lockOf(create(CreateAccessLockRequestSchema, request), 'ann', NOON)

describe('a lock that is asked for', () => {
  it('is for those alone who are named, until its time, and says who made it', () => {
    const expiresAt = BigInt(NOON + 1)
    expect(
      asked({ name: 'incident-7', group: 'ops', instance: 'north', message: 'call', expiresAt }),
    ).toEqual({
      apiVersion: 'kairship.io/v1alpha1',
      kind: 'AccessLock',
      metadata: { name: 'incident-7', annotations: { 'kairship.io/created-by': 'ann' } },
      spec: { group: 'ops', instance: 'north', message: 'call', expiresAt: '2026-11-24T12:00:00.001Z' },
    })
  })

  it('is named by the host where it has no name, and never over where it has no end', () => {
    const { metadata, spec } = asked({ user: 'bob' })
    expect(metadata).toMatchObject({ generateName: 'lock-' })
    expect(metadata).not.toHaveProperty('name')
    expect(spec).toEqual({ user: 'bob' })
  })

  it.each(['user', 'group', 'tokenId', 'instance'] as const)('may be for a %s alone', field => {
    expect(asked({ [field]: 'x' }).spec).toEqual({ [field]: 'x' })
  })

  it.each([
    ['user', 1_024],
    ['group', 1_024],
    ['tokenId', 1_024],
    ['instance', 253],
    ['message', 1_024],
  ] as const)('has a %s of %d characters at most', (field, most) => {
    const of = (length: number) => asked({ user: 'bob', [field]: 'x'.repeat(length) })
    expect(of(most).spec[field]).toHaveLength(most)
    expect(() => of(most + 1)).toThrow(`has more than ${most} characters`)
  })

  it.each([
    ['the present', BigInt(NOON)],
    ['the past', 1n],
    ['before 1970', -1n],
    ['after the year 9999', 253_402_300_799_001n],
    ['more than a clock can say', 2n ** 62n],
  ])('does not end in %s', (_, expiresAt) => {
    expect(() => asked({ user: 'bob', expiresAt })).toThrow(
      expect.objectContaining({ code: 3, message: expect.stringContaining('must be later than now') }),
    )
  })

  it('may end with the year 9999', () => {
    const { spec } = asked({ user: 'bob', expiresAt: 253_402_300_799_000n })
    expect(spec.expiresAt).toBe('9999-12-31T23:59:59.000Z')
  })
})

describe('a lock as callers receive it', () => {
  const stored = (spec: object, metadata: object = {}) =>
    ({
      apiVersion: 'kairship.io/v1alpha1',
      kind: 'AccessLock',
      metadata: { name: 'l', ...metadata },
      spec,
    }) as unknown as KubeObject

  it('has its times in milliseconds, and who made it', () => {
    const metadata = {
      creationTimestamp: '2026-11-24T12:00:00Z',
      annotations: { 'kairship.io/created-by': 'ann' },
    }
    expect(lockMessageOf(stored({ user: 'bob', expiresAt: '2026-11-24T12:00:01Z' }, metadata))).toEqual({
      ...{ name: 'l', user: 'bob', createdBy: 'ann' },
      ...{ createdAt: BigInt(NOON), expiresAt: BigInt(NOON + 1_000) },
    })
  })

  it('has no end where the host’s cannot be read, as it is applied', () => {
    expect(lockMessageOf(stored({ group: 'ops', expiresAt: 'tomorrow' }))).toEqual({
      ...{ name: 'l', group: 'ops', createdBy: '', createdAt: 0n, expiresAt: 0n },
    })
  })
})
