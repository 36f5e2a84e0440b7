import { type Caller, isChangedByHeader } from '../caller.js'
import { withAuthenticated } from '../groups.js'
import type { IssuerConfiguration } from './configuration-schema.js'
import { bounded, celValue, compileExpression, firstLine, type Program, Stalled } from './expressions.js'

/** The claims of a token whose signature is right. */
export type Claims = Readonly<Record<string, unknown>>

/** A genuine token whose claims are not accepted. The message is for its holder: it completes "the token is not accepted: ". */
export class ClaimsRefused extends Error {
  override readonly name = 'ClaimsRefused'
}

/** Makes the caller of a token's claims. @throws ClaimsRefused */
export type ClaimMapping = (claims: Claims) => Caller

type Read<T> = (claims: Claims, cel: unknown) => T
type Check = Read<void>

/**
 * The rules and mappings of one issuer, compiled. What its claims lack or have in another form is refused, and never left out.
 * @throws Error for an expression that does not compile, which a configuration that was parsed does not have
 */
export function claimMapping(configuration: IssuerConfiguration): ClaimMapping {
  const { claimMappings, claimValidationRules, userValidationRules } = configuration
  const checks = claimValidationRules.map(claimCheck)
  const username = usernameOf(claimMappings.username)
  const groups = groupsOf(claimMappings.groups)
  const uid = uidOf(claimMappings.uid)
  const extra = claimMappings.extra.map(({ key, valueExpression }) => {
    const program = compileExpression(valueExpression, 'claims')
    return [key, (cel: unknown) => texts(run(program, cel, `extra ${key}`), `the extra ${key}`)] as const
  })
  const userChecks = userValidationRules.map(userCheck)
  const map: ClaimMapping = claims => {
    const cel = celValue(claims)
    for (const check of checks) check(claims, cel)
    const id = uid(claims, cel)
    const user = {
      user: username(claims, cel),
      ...(id !== '' && { uid: id }),
      groups: groups(claims, cel),
      extra: Object.fromEntries(
        extra.map(([key, read]) => [key, read(cel)] as const).filter(([, values]) => values.length > 0),
      ),
    }
    for (const check of userChecks) check(user)
    return acceptable(user)
  }
  return claims => {
    try {
      return bounded(() => map(claims))
    } catch (error) {
      if (error instanceof ClaimsRefused || error instanceof Stalled) throw error
      throw new ClaimsRefused(firstLine(error), { cause: error })
    }
  }
}

function claimCheck({
  claim,
  requiredValue = '',
  expression = '',
  message = '',
}: IssuerConfiguration['claimValidationRules'][number]): Check {
  if (claim)
    return claims => {
      if (claims[claim] !== requiredValue)
        throw new ClaimsRefused(`its claim ${claim} must be ${JSON.stringify(requiredValue)}`)
    }
  const program = compileExpression(expression, 'claims')
  return (_, cel) => {
    if (run(program, cel, `rule ${expression}`) !== true)
      throw new ClaimsRefused(message || `its claims do not meet the rule ${expression}`)
  }
}

function userCheck({ expression, message = '' }: IssuerConfiguration['userValidationRules'][number]) {
  const program = compileExpression(expression, 'user')
  return ({ user: username, uid = '', groups, extra }: Caller): void => {
    if (run(program, { username, uid, groups: [...groups], extra }, `rule ${expression}`) !== true)
      throw new ClaimsRefused(message || `its user does not meet the rule ${expression}`)
  }
}

function usernameOf({
  claim = '',
  prefix = '',
  expression = '',
}: IssuerConfiguration['claimMappings']['username']): Read<string> {
  if (expression !== '') {
    const program = compileExpression(expression, 'claims')
    return (_, cel) => text(run(program, cel, 'username'), 'the expression of the username')
  }
  return claims => {
    const name = text(own(claims, claim), `its claim ${claim}`)
    // https://openid.net/specs/openid-connect-core-1_0.html#StandardClaims; kube-apiserver does the same.
    const verified = own(claims, 'email_verified')
    if (claim === 'email' && verified !== undefined && verified !== true)
      throw new ClaimsRefused('its email address is not verified')
    if (name === '') throw new ClaimsRefused(`its claim ${claim} is empty`)
    return prefix + name
  }
}

function groupsOf({
  claim = '',
  prefix = '',
  expression = '',
}: IssuerConfiguration['claimMappings']['groups']): Read<readonly string[]> {
  if (expression !== '') {
    const program = compileExpression(expression, 'claims')
    return (_, cel) => texts(run(program, cel, 'groups'), 'the expression of the groups')
  }
  if (claim === '') return () => []
  return claims => {
    const names = own(claims, '_claim_names')
    // Microsoft Entra ID does so beyond 200 groups. Without its groups a user could pass rules that are made for others.
    if (typeof names === 'object' && names !== null && Object.hasOwn(names, claim))
      throw new ClaimsRefused(
        `its claim ${claim} is distributed, which is not resolved: have the issuer put it into the token`,
      )
    return texts(own(claims, claim), `its claim ${claim}`).map(name => prefix + name)
  }
}

function uidOf({ claim = '', expression = '' }: IssuerConfiguration['claimMappings']['uid']): Read<string> {
  if (expression !== '') {
    const program = compileExpression(expression, 'claims')
    return (_, cel) => text(run(program, cel, 'uid'), 'the expression of the uid')
  }
  return claim === '' ? () => '' : claims => text(own(claims, claim), `its claim ${claim}`)
}

function run(program: Program, value: unknown, what: string): unknown {
  try {
    return program(value)
  } catch (error) {
    throw new ClaimsRefused(`${what}: ${firstLine(error)}`, { cause: error })
  }
}

const own = (claims: Claims, claim: string): unknown =>
  Object.hasOwn(claims, claim) ? claims[claim] : undefined

function text(value: unknown, what: string): string {
  if (typeof value !== 'string')
    throw new ClaimsRefused(`${what} ${value === undefined ? 'is missing' : 'is no text'}`)
  return value
}

/** One text, or a list of them; nothing and empty texts are no values, as in Kubernetes. */
function texts(value: unknown, what: string): readonly string[] {
  if (value === undefined || value === null) return []
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.map(item => text(item, `a value of ${what}`)).filter(item => item !== '')
}

/**
 * Names that begin with `system:` are Kubernetes' own: `system:masters` may do anything in an instance. No issuer can give them,
 * whatever its configuration says. Kubernetes leaves that to a userValidationRule.
 */
function acceptable({ user, uid, groups, extra }: Caller): Caller {
  if (user === '') throw new ClaimsRefused('its username is empty')
  for (const name of [user, ...groups])
    if (name.startsWith('system:'))
      throw new ClaimsRefused(
        `the name ${JSON.stringify(name)} is reserved: an issuer gives none that begins with system:`,
      )
  for (const value of [user, uid ?? '', ...groups, ...Object.values(extra).flat()])
    if (isChangedByHeader(value))
      throw new ClaimsRefused(
        `the name ${JSON.stringify(value)} begins or ends with a blank or has a control character`,
      )
  return { user, ...(uid !== undefined && { uid }), groups: withAuthenticated(groups), extra }
}
