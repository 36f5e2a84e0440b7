import type { Action } from './authorize.js'

/** The right on the host to reach an instance at all: what a caller may do inside it, its own RBAC decides. */
export const reaching = (instance: string): Action => ({
  verb: 'get',
  resource: 'instances/proxy',
  name: instance,
})
