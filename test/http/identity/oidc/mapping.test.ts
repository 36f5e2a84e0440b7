import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ClaimsRefused, claimMapping } from '../../../../http/identity/oidc/mapping.js'
import { issuerWith } from './configurations.js'
import { mapped, refusal, withMappings } from './mapped-claims.js'

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
      claimValidationRules: [
        {
          expression:
            'claims.exp - claims.nbf <= 86400 && claims.half > 0.4 && type(claims.exp) == int && type(claims.half) == double',
        },
      ],
      claimMappings: { username: { expression: 'string(claims.exp / 7 * 7)' } },
    }
    expect(mapped(rule, { nbf: 1_000, exp: 87_400, half: 0.5 }).user).toBe('87395')
    expect(refusal(rule, { nbf: 1_000, exp: 87_401, half: 0.5 })).toContain('do not meet the rule')
  })

  it('with no uid and no extra where none are mapped', () => {
    expect(mapped({}, { sub: 'ada' })).toEqual({ user: 'ada', groups: [authenticated], extra: {} })
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
