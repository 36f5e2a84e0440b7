import { StatusError } from '../../../manifests/status-error.js'

/** Nothing can be made in a namespace that is going away, and nothing has to be. */
export const isInLeavingNamespace = (error: unknown): boolean =>
  error instanceof StatusError &&
  (error.status.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating')
