import type { Strategy } from '../../resource-definition.js'
import { statusSubresource } from './status-subresource.js'

/** Of a kind without rules of its own, and without a generation: an update needs no resourceVersion. */
export const storedOnly = {
  allowsUnconditionalUpdate: true,
  withoutGeneration: true,
} as const satisfies Strategy
export const storedWithGeneration: Strategy = { allowsUnconditionalUpdate: true }
export const storedWithStatus: Strategy = { ...storedOnly, ...statusSubresource({}) }
