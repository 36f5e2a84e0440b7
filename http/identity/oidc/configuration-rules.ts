import { X509Certificate } from 'node:crypto'
import { certificatesOf } from '../../../ports/certificates.js'
import type { AuthenticationConfiguration, IssuerConfiguration, Problem } from './configuration-schema.js'
import { type ExpressionOf, problemOfExpression, readsClaim } from './expressions.js'

/** The paths that Kairship serves to callers without credentials. */
const OPEN_PATHS = ['/healthz', '/livez', '/readyz']

/** What is wrong with a configuration whose fields have the right types: the rules of kube-apiserver, and those of Kairship. */
export function problemsOfRules({ jwt, anonymous }: AuthenticationConfiguration): readonly Problem[] {
  const urls = jwt.map(({ issuer }) => issuer.url)
  const discoveries = jwt.map(({ issuer }) => issuer.discoveryURL ?? '')
  return [
    ...jwt.flatMap((one, index) => [
      ...twice(urls, index, `jwt[${index}].issuer.url`),
      ...twice(discoveries, index, `jwt[${index}].issuer.discoveryURL`),
      ...problemsOfIssuer(one, `jwt[${index}].issuer`),
      ...problemsOfClaimRules(one, `jwt[${index}].claimValidationRules`),
      ...problemsOfMappings(one, `jwt[${index}].claimMappings`),
      ...one.userValidationRules.flatMap(({ expression }, rule) => [
        ...compiled(expression, 'user', 'bool', `jwt[${index}].userValidationRules[${rule}].expression`),
        ...twice(
          one.userValidationRules.map(each => each.expression),
          rule,
          `jwt[${index}].userValidationRules[${rule}].expression`,
        ),
      ]),
    ]),
    ...problemsOfAnonymous(anonymous),
  ]
}

function problemsOfIssuer({ issuer }: IssuerConfiguration, at: string): readonly Problem[] {
  const { url, discoveryURL = '', certificateAuthority = '', audiences, audienceMatchPolicy } = issuer
  const withoutSlash = (one: string) => one.replace(/\/+$/, '')
  return [
    ...problemsOfUrl(url, `${at}.url`),
    ...(discoveryURL === '' ? [] : problemsOfUrl(discoveryURL, `${at}.discoveryURL`)),
    ...when(
      discoveryURL !== '' && withoutSlash(url) === withoutSlash(discoveryURL),
      `${at}.discoveryURL`,
      'must differ from url',
    ),
    ...audiences.flatMap((_, index) => twice(audiences, index, `${at}.audiences[${index}]`)),
    ...when(
      audiences.length > 1 && audienceMatchPolicy !== 'MatchAny',
      `${at}.audienceMatchPolicy`,
      'must be MatchAny where there are several audiences',
    ),
    ...when(
      certificateAuthority !== '' && !isCertificates(certificateAuthority),
      `${at}.certificateAuthority`,
      'must be certificates in PEM form',
    ),
  ]
}

function problemsOfUrl(url: string, field: string): readonly Problem[] {
  if (!URL.canParse(url)) return [{ field, message: 'is no URL' }]
  const { protocol, username, password } = new URL(url)
  return [
    ...when(protocol !== 'https:', field, 'must begin with https://'),
    ...when(username !== '' || password !== '', field, 'must not have a username or a password'),
    ...when(url.includes('?'), field, 'must not have a query'),
    ...when(url.includes('#'), field, 'must not have a fragment'),
  ]
}

function isCertificates(pem: string): boolean {
  try {
    const found = certificatesOf(pem)
    for (const one of found) new X509Certificate(one)
    return found.length > 0
  } catch {
    return false
  }
}

function problemsOfClaimRules({ claimValidationRules: rules }: IssuerConfiguration, at: string): Problem[] {
  return rules.flatMap(({ claim = '', requiredValue = '', expression = '', message = '' }, index) => {
    const field = `${at}[${index}]`
    if (claim !== '' && expression !== '')
      return [{ field, message: 'claim and expression exclude each other' }]
    if (claim === '' && expression === '') return [{ field, message: 'claim or expression is required' }]
    if (claim !== '')
      return [
        ...when(message !== '', `${field}.message`, 'belongs to an expression, and not to a claim'),
        ...twice(
          rules.map(rule => rule.claim ?? ''),
          index,
          `${field}.claim`,
        ),
      ]
    return [
      ...when(requiredValue !== '', `${field}.requiredValue`, 'belongs to a claim, and not to an expression'),
      ...twice(
        rules.map(rule => rule.expression ?? ''),
        index,
        `${field}.expression`,
      ),
      ...compiled(expression, 'claims', 'bool', `${field}.expression`),
    ]
  })
}

function problemsOfMappings(one: IssuerConfiguration, at: string): readonly Problem[] {
  const { username, groups, uid, extra } = one.claimMappings
  const keys = extra.map(({ key }) => key)
  return [
    ...when(!username.claim && !username.expression, `${at}.username`, 'claim or expression is required'),
    ...problemsOfMapping(username, `${at}.username`),
    ...problemsOfMapping(groups, `${at}.groups`),
    ...when(Boolean(uid.claim && uid.expression), `${at}.uid`, 'claim and expression exclude each other'),
    ...compiled(uid.expression, 'claims', 'any', `${at}.uid.expression`),
    ...extra.flatMap(({ key, valueExpression }, index) => [
      ...problemsOfKey(key, `${at}.extra[${index}].key`),
      ...twice(keys, index, `${at}.extra[${index}].key`),
      ...compiled(valueExpression, 'claims', 'any', `${at}.extra[${index}].valueExpression`),
    ]),
    ...unverifiedEmail(one, `${at}.username.expression`),
  ]
}

function problemsOfMapping(
  {
    claim,
    prefix,
    expression,
  }: { claim?: string | undefined; prefix?: string | undefined; expression?: string | undefined },
  at: string,
): readonly Problem[] {
  if (claim && expression) return [{ field: at, message: 'claim and expression exclude each other' }]
  if (expression)
    return [
      ...when(prefix !== undefined, `${at}.prefix`, 'belongs to a claim, and not to an expression'),
      ...compiled(expression, 'claims', 'any', `${at}.expression`),
    ]
  return when(
    Boolean(claim) && prefix === undefined,
    `${at}.prefix`,
    'is required where claim is set; an empty text adds no prefix',
  )
}

/** A domain, a slash and a path, in lower case. */
const KEY =
  /^(?=.{1,253}\/)([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*\/[-a-z0-9._~!$&'()*+,;=:@%/]+$/
/** Domains whose extras have a meaning to Kubernetes or to Kairship, with all that are below them. */
const RESERVED = /^([^/]*\.)?(kubernetes\.io|k8s\.io|kairship\.io)\//

const problemsOfKey = (key: string, field: string): readonly Problem[] => [
  ...when(!KEY.test(key), field, 'must be a domain and a path in lower case, such as example.org/team'),
  ...when(RESERVED.test(key), field, 'kubernetes.io, k8s.io, kairship.io and their subdomains are reserved'),
]

/** Whoever may choose an email address without proving it may choose a username. Kubernetes has the same rule. */
function unverifiedEmail(
  { claimMappings: { username, extra }, claimValidationRules }: IssuerConfiguration,
  field: string,
): readonly Problem[] {
  const others = [
    ...extra.map(({ valueExpression }) => valueExpression),
    ...claimValidationRules.map(({ expression }) => expression),
  ]
  return when(
    readsClaim(username.expression, 'email') &&
      ![username.expression, ...others].some(one => readsClaim(one, 'email_verified')),
    field,
    'claims.email counts only where claims.email_verified is read too: here, in an extra or in a claimValidationRule',
  )
}

function problemsOfAnonymous(anonymous: AuthenticationConfiguration['anonymous']): readonly Problem[] {
  if (!anonymous) return []
  const { enabled, conditions } = anonymous
  if (!enabled) return when(conditions.length > 0, 'anonymous.conditions', 'need enabled: true')
  const only = `callers without credentials reach ${OPEN_PATHS.join(', ')} only`
  return [
    ...when(conditions.length === 0, 'anonymous.enabled', `must be false, or have conditions: ${only}`),
    ...conditions.flatMap(({ path }, index) =>
      when(!OPEN_PATHS.includes(path), `anonymous.conditions[${index}].path`, only),
    ),
  ]
}

function compiled(
  expression: string | undefined,
  of: ExpressionOf,
  wanted: 'bool' | 'any',
  field: string,
): readonly Problem[] {
  const message = expression ? problemOfExpression(expression, of, wanted) : undefined
  return message === undefined ? [] : [{ field, message }]
}

const when = (isWrong: boolean, field: string, message: string): readonly Problem[] =>
  isWrong ? [{ field, message }] : []

/** A value that an earlier entry has already. */
const twice = (values: readonly string[], index: number, field: string): readonly Problem[] => {
  const value = values[index] ?? ''
  return when(value !== '' && values.indexOf(value) < index, field, `${JSON.stringify(value)} is there twice`)
}
