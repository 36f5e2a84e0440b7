import type { Exceptions } from '../apiserver/suite.js'

/** Where the embedded index differs from Clusterpedia, and why. */
export const differences: Exceptions = {
  'managedFields and the last applied configuration are left out':
    'meant: the embedded index is lossless, so that kubectl apply can read through it',
}
