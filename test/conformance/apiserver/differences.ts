import type { Exceptions } from './suite.js'

/**
 * Where the embedded server differs from the real one. Each is a bug of the embedded server until its reason says that it
 * is meant; whoever mends one removes its line.
 */
export const differences: Exceptions = {}
