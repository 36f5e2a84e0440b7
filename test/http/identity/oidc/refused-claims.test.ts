import { describe, expect, it } from 'vitest'
import { mapped, refusal, withMappings } from './mapped-claims.js'

const rule = (...claimValidationRules: object[]) => ({ claimValidationRules })
const userRule = (...userValidationRules: object[]) => ({ userValidationRules })

describe('claims are refused', () => {
  it.each<[string, object, object, string]>([
    ['without the username', {}, {}, 'its claim sub is missing'],
    [
      'with an empty username, also behind a prefix',
      withMappings({ username: { claim: 'sub', prefix: 'x:' } }),
      { sub: '' },
      'is empty',
    ],
    [
      'with an empty computed username',
      withMappings({ username: { expression: '""' } }),
      {},
      'its username is empty',
    ],
    ['with a number for a username', {}, { sub: 7 }, 'its claim sub is no text'],
    [
      'with a computed number for a username',
      withMappings({ username: { expression: 'claims.sub' } }),
      { sub: 7 },
      'is no text',
    ],
    [
      'with an object among the groups',
      withMappings({ groups: { claim: 'g', prefix: '' } }),
      { sub: 'a', g: [{}] },
      'a value of its claim g is no text',
    ],
    [
      'with computed groups that are numbers',
      withMappings({ groups: { expression: 'claims.g' } }),
      { sub: 'a', g: [1] },
      'is no text',
    ],
    [
      'with a uid that is missing',
      withMappings({ uid: { claim: 'oid' } }),
      { sub: 'a' },
      'its claim oid is missing',
    ],
    [
      'with a computed uid that is no text',
      withMappings({ uid: { expression: '1' } }),
      { sub: 'a' },
      'is no text',
    ],
    [
      'with an extra that is no text',
      withMappings({ extra: [{ key: 'a.b/c', valueExpression: 'claims.e' }] }),
      { sub: 'a', e: { f: 1 } },
      'the extra a.b/c is no text',
    ],
    [
      'where an expression reads a claim that is missing',
      withMappings({ uid: { expression: 'claims.oid' } }),
      { sub: 'a' },
      'No such key: oid',
    ],
    [
      'with an email that is not verified',
      withMappings({ username: { claim: 'email', prefix: '' } }),
      { email: 'a@b', email_verified: false },
      'not verified',
    ],
    [
      'with an email that is verified in a word',
      withMappings({ username: { claim: 'email', prefix: '' } }),
      { email: 'a@b', email_verified: 'true' },
      'not verified',
    ],
    [
      'with another required value',
      rule({ claim: 'hd', requiredValue: 'x.org' }),
      { sub: 'a', hd: 'y.org' },
      'its claim hd must be "x.org"',
    ],
    [
      'without a required claim',
      rule({ claim: 'hd', requiredValue: 'x.org' }),
      { sub: 'a' },
      'its claim hd must be "x.org"',
    ],
    [
      'with a list in the place of a required value',
      rule({ claim: 'hd', requiredValue: 'x' }),
      { sub: 'a', hd: ['x'] },
      'must be "x"',
    ],
    ['without a claim whose required value is empty', rule({ claim: 'hd' }), { sub: 'a' }, 'must be ""'],
    [
      'by a rule, in its own words',
      rule({ expression: 'claims.sub == "b"', message: 'only b' }),
      { sub: 'a' },
      'only b',
    ],
    [
      'by the second rule',
      rule({ expression: 'true' }, { expression: 'claims.sub == "b"' }),
      { sub: 'a' },
      'claims.sub == "b"',
    ],
    [
      'by a rule of users, in its own words',
      userRule({ expression: 'user.username == "b"', message: 'only b' }),
      { sub: 'a' },
      'only b',
    ],
    [
      'by a rule of users',
      userRule({ expression: '"ops" in user.groups' }),
      { sub: 'a' },
      'its user does not meet the rule',
    ],
    [
      'whose groups are distributed',
      withMappings({ groups: { claim: 'groups', prefix: '' } }),
      { sub: 'a', _claim_names: { groups: 'src1' } },
      'is distributed',
    ],
    ['with a username of Kubernetes', {}, { sub: 'system:admin' }, 'begins with system:'],
    [
      'with a username that becomes one of Kubernetes',
      withMappings({ username: { claim: 'sub', prefix: 'system:' } }),
      { sub: 'admin' },
      'begins with system:',
    ],
    [
      'with a group of Kubernetes',
      withMappings({ groups: { claim: 'g', prefix: '' } }),
      { sub: 'a', g: ['ops', 'system:masters'] },
      '"system:masters" is reserved',
    ],
    [
      'with a group of Kubernetes that an expression makes',
      withMappings({ groups: { expression: '["system:" + claims.sub]' } }),
      { sub: 'masters' },
      '"system:masters" is reserved',
    ],
    [
      'with a blank before a group of Kubernetes',
      withMappings({ groups: { claim: 'g', prefix: '' } }),
      { sub: 'a', g: [' system:masters'] },
      'begins or ends with a blank',
    ],
    [
      'with a line break in an extra',
      withMappings({ extra: [{ key: 'a.b/c', valueExpression: 'claims.e' }] }),
      { sub: 'a', e: 'x\r\ny' },
      'control character',
    ],
    [
      'with a line break in the uid',
      withMappings({ uid: { claim: 'u' } }),
      { sub: 'a', u: 'x\ny' },
      'control character',
    ],
    [
      'with claims nested too deep',
      {},
      { sub: 'a', deep: JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`) },
      'nested deeper',
    ],
  ])('%s', (_why, fields, claims, message) => {
    expect(refusal(fields, claims)).toContain(message)
  })

  it('when a regular expression would run for years', () => {
    const fields = rule({ expression: 'claims.sub.matches("^(a+)+$")' })
    expect(refusal(fields, { sub: `${'a'.repeat(60)}b` })).toContain('ran for longer than 250 ms')
    expect(mapped(fields, { sub: 'aaa' }).user).toBe('aaa')
  })
})
