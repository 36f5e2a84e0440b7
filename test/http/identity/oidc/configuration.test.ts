import { describe, expect, it } from 'vitest'
import { parseAuthentication } from '../../../../http/identity/oidc/configuration.js'
import { createAuthority } from '../../../../playground/apiserver/access/certificates.js'
import { documentWith, leastIssuer } from './configurations.js'

const read = (document: object) => parseAuthentication(JSON.stringify(document), 'authentication.yaml')
const { issuer, claimMappings } = leastIssuer
const withIssuer = (fields: object) => documentWith({ ...leastIssuer, issuer: { ...issuer, ...fields } })
const withMappings = (fields: object) =>
  documentWith({ ...leastIssuer, claimMappings: { ...claimMappings, ...fields } })
const withRule = (...claimValidationRules: object[]) => documentWith({ ...leastIssuer, claimValidationRules })
const withUserRule = (...userValidationRules: object[]) =>
  documentWith({ ...leastIssuer, userValidationRules })

describe('an AuthenticationConfiguration', () => {
  it('of Kubernetes’ own documentation is read', () => {
    const text = `
apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
jwt:
- issuer:
    url: https://example.com
    discoveryURL: https://discovery.example.com/.well-known/openid-configuration
    audiences: [my-app, my-other-app]
    audienceMatchPolicy: MatchAny
  claimValidationRules:
  - claim: hd
    requiredValue: example.com
  - expression: 'claims.hd == "example.com"'
    message: the hd claim must be set to example.com
  - expression: 'claims.exp - claims.nbf <= 86400'
    message: total token lifetime must not exceed 24 hours
  claimMappings:
    username:
      expression: 'claims.username + ":external-user"'
    groups:
      expression: 'claims.roles.split(",")'
    uid:
      expression: 'claims.sub'
    extra:
    - key: 'example.com/tenant'
      valueExpression: 'claims.tenant'
  userValidationRules:
  - expression: "!user.username.startsWith('system:')"
    message: 'username cannot used reserved system: prefix'
  - expression: "user.groups.all(group, !group.startsWith('system:'))"
anonymous:
  enabled: true
  conditions:
  - path: /livez
  - path: /readyz
  - path: /healthz
`
    const { jwt } = parseAuthentication(text, 'authentication.yaml')
    expect(jwt).toHaveLength(1)
    expect(jwt[0]?.issuer.audiences).toEqual(['my-app', 'my-other-app'])
    expect(jwt[0]?.claimValidationRules).toHaveLength(3)
  })

  it('may have no issuer, one authority and either version', async () => {
    const { certificate } = await createAuthority('issuer')
    expect(read(documentWith())).toMatchObject({ jwt: [] })
    expect(read({ ...documentWith(), apiVersion: 'apiserver.config.k8s.io/v1beta1' }).jwt).toEqual([])
    const { jwt } = read(withIssuer({ certificateAuthority: `${certificate}\n${certificate}` }))
    expect(jwt[0]?.claimMappings).toMatchObject({ groups: {}, uid: {}, extra: [] })
  })

  it('names the file and every problem with its field', () => {
    const wrong = documentWith(leastIssuer, { ...leastIssuer, issuer: { ...issuer, audiences: ['a', 'a'] } })
    expect(() => read(wrong)).toThrow(
      /^authentication\.yaml: jwt\[1\]\.issuer\.url: "https:\/\/issuer\.example" is there twice; jwt\[1\]\.issuer\.audiences\[1\]: "a" is there twice; jwt\[1\]\.issuer\.audienceMatchPolicy: must be MatchAny/,
    )
  })

  it('that is no YAML is refused with the place of the mistake', () => {
    expect(() => parseAuthentication('jwt: [', 'a.yaml')).toThrow(
      /a\.yaml is neither YAML nor JSON: .*line 1/,
    )
    expect(() => parseAuthentication('', 'a.yaml')).toThrow(/the document: is missing or of a wrong type/)
  })
})

const key = (name: string) => withMappings({ extra: [{ key: name, valueExpression: 'claims.sub' }] })
const email = { username: { expression: 'claims.email' } }

describe('an AuthenticationConfiguration is refused when', () => {
  it.each<[string, object, string]>([
    [
      'its version is another',
      { ...documentWith(), apiVersion: 'v1' },
      'apiVersion: must be apiserver.config',
    ],
    [
      'its kind is another',
      { ...documentWith(), kind: 'Config' },
      'kind: must be AuthenticationConfiguration',
    ],
    ['it has a field too many', { ...documentWith(), extra: 1 }, 'extra: is no field'],
    ['jwt is no list', { ...documentWith(), jwt: {} }, 'jwt: must be a list'],
    ['it has 65 issuers', documentWith(...Array(65).fill(leastIssuer)), 'jwt: must have at most 64 issuers'],
    ['a field is misspelt', withIssuer({ audience: 'a' }), 'jwt[0].issuer.audience: is no field'],
    [
      'it selects an egress',
      withIssuer({ egressSelectorType: 'cluster' }),
      'Kairship has no egress selectors',
    ],
    ['the URL is missing', withIssuer({ url: undefined }), 'jwt[0].issuer.url: is required'],
    ['the URL is a number', withIssuer({ url: 7 }), 'jwt[0].issuer.url: must be a text'],
    ['the URL is none', withIssuer({ url: 'issuer' }), 'jwt[0].issuer.url: is no URL'],
    ['the URL has no TLS', withIssuer({ url: 'http://a' }), 'jwt[0].issuer.url: must begin with https://'],
    [
      'the URL has a password',
      withIssuer({ url: 'https://u:p@a' }),
      'must not have a username or a password',
    ],
    ['the URL has a query', withIssuer({ url: 'https://a?b' }), 'jwt[0].issuer.url: must not have a query'],
    ['the URL has a fragment', withIssuer({ url: 'https://a#b' }), 'must not have a fragment'],
    [
      'discovery is at the URL itself',
      withIssuer({ discoveryURL: `${issuer.url}/` }),
      'must differ from url',
    ],
    [
      'discovery has no TLS',
      withIssuer({ discoveryURL: 'http://a' }),
      'jwt[0].issuer.discoveryURL: must begin with https://',
    ],
    [
      'two issuers share a discovery URL',
      documentWith(
        { ...leastIssuer, issuer: { ...issuer, discoveryURL: 'https://d' } },
        { ...leastIssuer, issuer: { ...issuer, url: 'https://b', discoveryURL: 'https://d' } },
      ),
      'jwt[1].issuer.discoveryURL: "https://d" is there twice',
    ],
    ['there is no audience', withIssuer({ audiences: [] }), 'audiences: must have one audience or more'],
    ['an audience is empty', withIssuer({ audiences: [''] }), 'jwt[0].issuer.audiences[0]: is required'],
    ['several audiences have no policy', withIssuer({ audiences: ['a', 'b'] }), 'must be MatchAny'],
    [
      'the policy is another',
      withIssuer({ audienceMatchPolicy: 'All' }),
      'audienceMatchPolicy: must be MatchAny',
    ],
    ['the authority is none', withIssuer({ certificateAuthority: 'x' }), 'must be certificates in PEM form'],
    [
      'one of the authorities is broken',
      withIssuer({
        certificateAuthority: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
      }),
      'must be certificates in PEM form',
    ],
    [
      'the username is not mapped',
      withMappings({ username: {} }),
      'username: claim or expression is required',
    ],
    [
      'a claim has no prefix',
      withMappings({ username: { claim: 'sub' } }),
      'username.prefix: is required where',
    ],
    [
      'a mapping has claim and expression',
      withMappings({ groups: { claim: 'g', prefix: '', expression: 'claims.g' } }),
      'claimMappings.groups: claim and expression exclude each other',
    ],
    [
      'an expression has a prefix',
      withMappings({ groups: { prefix: '', expression: 'claims.g' } }),
      'claimMappings.groups.prefix: belongs to a claim',
    ],
    [
      'an expression does not compile',
      withMappings({ username: { expression: 'claims.sub +' } }),
      'claimMappings.username.expression: does not compile',
    ],
    [
      'an expression reads another variable',
      withMappings({ groups: { expression: 'user.groups' } }),
      'Unknown variable: user',
    ],
    [
      'the uid has both',
      withMappings({ uid: { claim: 'a', expression: 'claims.a' } }),
      'claimMappings.uid: claim',
    ],
    [
      'the uid does not compile',
      withMappings({ uid: { expression: '1 + "a"' } }),
      'uid.expression: does not',
    ],
    ['an extra has no domain', key('team'), 'extra[0].key: must be a domain and a path'],
    ['an extra has capitals', key('example.org/Team'.replace('e', 'E')), 'extra[0].key: must be a domain'],
    ['an extra is of Kubernetes', key('authentication.kubernetes.io/pod-name'), 'are reserved'],
    ['an extra is of k8s.io', key('k8s.io/a'), 'are reserved'],
    ['an extra is of Kairship', key('kairship.io/original-user'), 'are reserved'],
    [
      'an extra is there twice',
      withMappings({
        extra: [
          { key: 'a.b/c', valueExpression: 'claims.a' },
          { key: 'a.b/c', valueExpression: 'claims.b' },
        ],
      }),
      'extra[1].key: "a.b/c" is there twice',
    ],
    [
      'an extra does not compile',
      withMappings({ extra: [{ key: 'a.b/c', valueExpression: ')' }] }),
      'extra[0].valueExpression: does not compile',
    ],
    ['an email address need not be verified', withMappings(email), 'claims.email_verified'],
    ['a rule is empty', withRule({}), 'claimValidationRules[0]: claim or expression is required'],
    [
      'a rule has both',
      withRule({ claim: 'a', expression: 'true' }),
      'claimValidationRules[0]: claim and expr',
    ],
    [
      'a claim has a message',
      withRule({ claim: 'a', message: 'm' }),
      'claimValidationRules[0].message: belongs',
    ],
    [
      'an expression has a value',
      withRule({ expression: 'true', requiredValue: 'a' }),
      'claimValidationRules[0].requiredValue: belongs',
    ],
    ['two rules are of one claim', withRule({ claim: 'a' }, { claim: 'a' }), '[1].claim: "a" is there twice'],
    [
      'two rules are alike',
      withRule({ expression: 'true' }, { expression: 'true' }),
      'claimValidationRules[1].expression: "true" is there twice',
    ],
    [
      'a rule gives no bool',
      withRule({ expression: 'claims.email_verified' }),
      'claimValidationRules[0].expression: must give a bool, and gives dyn',
    ],
    [
      'a user rule gives no bool',
      withUserRule({ expression: 'user.username' }),
      'must give a bool, and gives string',
    ],
    [
      'a user rule has no expression',
      withUserRule({ message: 'm' }),
      'userValidationRules[0].expression: is required',
    ],
    [
      'a user rule reads a field that users lack',
      withUserRule({ expression: 'user.name == "a"' }),
      'userValidationRules[0].expression: does not compile: No such key: name',
    ],
    [
      'two user rules are alike',
      withUserRule({ expression: 'true' }, { expression: 'true' }),
      'userValidationRules[1].expression: "true" is there twice',
    ],
    [
      'anyone may come in',
      { ...documentWith(), anonymous: { enabled: true } },
      'anonymous.enabled: must be false',
    ],
    [
      'anyone may reach the API',
      { ...documentWith(), anonymous: { enabled: true, conditions: [{ path: '/apis' }] } },
      'anonymous.conditions[0].path: callers without credentials reach',
    ],
    [
      'conditions are of no use',
      { ...documentWith(), anonymous: { enabled: false, conditions: [{ path: '/livez' }] } },
      'anonymous.conditions: need enabled: true',
    ],
  ])('%s', (_why, document, message) => {
    expect(() => read(document)).toThrow(message)
  })

  it.each([
    [
      'in the username',
      { username: { expression: 'claims.email_verified ? claims.email : claims.sub' } },
      [],
    ],
    [
      'as an option',
      { username: { expression: 'claims.?email_verified.orValue(false) ? claims.email : ""' } },
      [],
    ],
    [
      'in an extra',
      { ...email, extra: [{ key: 'a.b/c', valueExpression: 'string(claims.email_verified)' }] },
      [],
    ],
    ['in a rule', email, [{ expression: 'claims.email_verified == true' }]],
    ['not, where no email is read', { username: { expression: 'claims.mail.email' } }, []],
  ])('an email address is read without email_verified, which may be read %s', (_where, mappings, rules) => {
    const document = documentWith({ ...leastIssuer, claimMappings: mappings, claimValidationRules: rules })
    expect(read(document).jwt).toHaveLength(1)
  })
})
