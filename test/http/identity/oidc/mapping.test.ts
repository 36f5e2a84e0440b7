import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ClaimsRefused, claimMapping } from '../../../../http/identity/oidc/mapping.js'
import { issuerWith } from './configurations.js'

const mapped = (fields: object, claims: object) => claimMapping(issuerWith(fields))({ ...claims })
const withMappings = (mappings: object) => ({
  claimMappings: { username: { claim: 'sub', prefix: '' }, ...mappings },
})
const refusal = (fields: object, claims: object) => {
  try {
    return mapped(fields, claims)
  } catch (error) {
    expect(error).toBeInstanceOf(ClaimsRefused)
    return (error as Error).message
  }
}
const authenticated = 'system:authenticated'

describe('a caller is made of claims', () => {
  it.each<[string, object, object, object]>([
    ['with a prefix', { username: { claim: 'sub', prefix: 'acme:' } }, { sub: 'ada' }, { user: 'acme:ada' }],
    [
      'with groups of a list',
      { groups: { claim: 'groups', prefix: 'acme:' } },
      { sub: 'ada', groups: ['ops', '', 'dev'] },
      { groups: ['acme:ops', 'acme:dev', authenticated] },
    ],
    [
      'with the group of a single text',
      { groups: { claim: 'role', prefix: '' } },
      { sub: 'ada', role: 'ops' },
      { groups: ['ops', authenticated] },
    ],
    [
      'without groups where the claim is missing',
      { groups: { claim: 'groups', prefix: '' } },
      { sub: 'ada' },
      { groups: [authenticated] },
    ],
    ['with a uid', { uid: { claim: 'oid' } }, { sub: 'ada', oid: 'u1' }, { uid: 'u1' }],
    ['with a computed uid', { uid: { expression: 'claims.sub' } }, { sub: 'ada' }, { uid: 'ada' }],
    [
      'by expressions',
      { username: { expression: '"x:" + claims.sub' }, groups: { expression: 'claims.roles.split(",")' } },
      { sub: 'ada', roles: 'a,b' },
      { user: 'x:ada', groups: ['a', 'b', authenticated] },
    ],
    [
      'by expressions over nested claims',
      { groups: { expression: 'claims.realm_access.roles.map(role, "kc:" + role)' } },
      { sub: 'ada', realm_access: { roles: ['ops'] } },
      { groups: ['kc:ops', authenticated] },
    ],
    [
      'without groups where the expression gives none',
      { groups: { expression: 'claims.?groups.orValue([])' } },
      { sub: 'ada' },
      { groups: [authenticated] },
    ],
    [
      'with extras, less those that are empty',
      {
        extra: [
          { key: 'a.b/one', valueExpression: 'claims.team' },
          { key: 'a.b/many', valueExpression: 'claims.teams' },
          { key: 'a.b/none', valueExpression: '""' },
          { key: 'a.b/null', valueExpression: 'claims.nothing' },
        ],
      },
      { sub: 'ada', team: 'ops', teams: ['x', 'y'], nothing: null },
      { extra: { 'a.b/one': ['ops'], 'a.b/many': ['x', 'y'] } },
    ],
    [
      'with functions on texts',
      { username: { expression: 'claims.sub.replace("@", "-").lowerAscii() + claims.sub.charAt(0)' } },
      { sub: 'ADA@x' },
      { user: 'ada-xA' },
    ],
    [
      'with regular expressions',
      {
        groups: { expression: 'claims.dn.findAll("ou=[a-z]+")' },
        uid: { expression: 'claims.dn.find("^cn=[a-z]+")' },
      },
      { sub: 'ada', dn: 'cn=ada,ou=ops,ou=dev' },
      { groups: ['ou=ops', 'ou=dev', authenticated], uid: 'cn=ada' },
    ],
    [
      'with a verified email',
      { username: { claim: 'email', prefix: '' } },
      { email: 'a@b', email_verified: true },
      { user: 'a@b' },
    ],
    [
      'with an email of which nothing more is said',
      { username: { claim: 'email', prefix: '' } },
      { email: 'a@b' },
      { user: 'a@b' },
    ],
  ])('%s', (_how, mappings, claims, expected) => {
    expect(mapped(withMappings(mappings), claims)).toMatchObject(expected)
  })

  it('with whole numbers as ints, which expressions count with', () => {
    const rule = {
      claimValidationRules: [{ expression: 'claims.exp - claims.nbf <= 86400 && claims.half > 0.4' }],
    }
    expect(mapped(rule, { sub: 'ada', nbf: 1_000, exp: 87_400, half: 0.5 }).user).toBe('ada')
    expect(refusal(rule, { sub: 'ada', nbf: 1_000, exp: 87_401, half: 0.5 })).toContain(
      'do not meet the rule',
    )
  })

  it('with no uid and no extra where none are mapped', () => {
    expect(mapped({}, { sub: 'ada' })).toEqual({ user: 'ada', groups: [authenticated], extra: {} })
  })
})

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

const json = fc.jsonValue({ maxDepth: 3 })
const claims = fc.dictionary(fc.constantFrom('sub', 'groups', 'email', 'oid', 'team', '_claim_names'), json)
const reserved = fc.constantFrom('system:', 'system:masters', 'system:serviceaccount:a:b', 'ops', 'x')

describe('whatever a token holds', () => {
  const fields = {
    claimMappings: {
      username: { claim: 'sub', prefix: '' },
      groups: { expression: 'claims.?groups.orValue([])' },
      uid: { expression: 'claims.?oid.orValue("")' },
      extra: [{ key: 'a.b/team', valueExpression: 'claims.?team.orValue([])' }],
    },
  }
  const map = claimMapping(issuerWith(fields))

  it('a caller is made of texts only, or the token is refused', () => {
    fc.assert(
      fc.property(claims, given => {
        try {
          const { user, uid, groups, extra } = map(given)
          for (const value of [user, uid ?? '', ...groups, ...Object.values(extra).flat()])
            expect(value).toBeTypeOf('string')
          expect(user).toBe(given.sub)
        } catch (error) {
          expect(error).toBeInstanceOf(ClaimsRefused)
        }
      }),
    )
  })

  it('no name of Kubernetes comes out, except the group of all who are authenticated', () => {
    const named = fc.record({ sub: reserved, groups: fc.array(reserved) })
    fc.assert(
      fc.property(named, fc.constantFrom('', 'sys', 'acme:'), (given, prefix) => {
        const prefixed = claimMapping(
          issuerWith({
            claimMappings: { username: { claim: 'sub', prefix }, groups: { claim: 'groups', prefix } },
          }),
        )
        const isReserved = [given.sub, ...given.groups].some(name => (prefix + name).startsWith('system:'))
        if (isReserved) expect(() => prefixed(given)).toThrow(ClaimsRefused)
        else
          expect(prefixed(given)).toEqual({
            user: prefix + given.sub,
            groups: [...given.groups.map(name => prefix + name), authenticated],
            extra: {},
          })
      }),
    )
  })
})
