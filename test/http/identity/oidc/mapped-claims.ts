import { expect } from 'vitest'
import { ClaimsRefused, claimMapping } from '../../../../http/identity/oidc/mapping.js'
import { issuerWith } from './configurations.js'

/** The caller that an entry of `jwt` with these fields makes of claims. */
export const mapped = (fields: object, claims: object) => claimMapping(issuerWith(fields))({ ...claims })
/** Fields with these mappings beside that of the username. */
export const withMappings = (mappings: object) => ({
  claimMappings: { username: { claim: 'sub', prefix: '' }, ...mappings },
})
/** Why claims are refused; undefined when they are not. */
export const refusal = (fields: object, claims: object) => {
  try {
    return mapped(fields, claims)
  } catch (error) {
    expect(error).toBeInstanceOf(ClaimsRefused)
    return (error as Error).message
  }
}
