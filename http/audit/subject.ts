import type { AuditEvent } from '../../manifests/audit-event.js'
import type { Action } from '../identity/authorize.js'
import type { AuditRecord, AuditTarget } from './record.js'

/** What a request was about, as a Kubernetes audit event says it, and where. */
export interface Subject {
  /** Kubernetes' verb; empty for what is not served. */
  readonly verb: string
  readonly object?: NonNullable<AuditEvent['objectRef']>
  readonly instance?: string
  readonly cluster?: string
}

/** The object inside an instance where the request names one, else what was authorized on the host. */
export function subjectOf({ action, target }: Pick<AuditRecord, 'action' | 'target'>): Subject {
  const object = target ? objectOf(target) : action && hostObjectOf(action)
  const instance = target?.instance ?? (action && 'resource' in action ? instanceOf(action) : undefined)
  return {
    verb: target?.verb ?? action?.verb ?? '',
    ...(object && { object }),
    ...(instance && { instance }),
    ...(target?.cluster && { cluster: target.cluster }),
  }
}

const objectOf = ({ group, version, resource, subresource, namespace, name }: AuditTarget) =>
  resource === undefined
    ? undefined
    : {
        resource,
        ...(namespace && { namespace }),
        ...(name && { name }),
        ...(group && { apiGroup: group }),
        ...(version && { apiVersion: version }),
        ...(subresource && { subresource }),
      }

function hostObjectOf(action: Action): Subject['object'] {
  if ('path' in action) return undefined
  const [resource = '', subresource] = action.resource.split('/')
  return {
    resource,
    ...(action.name && { name: action.name }),
    apiGroup: 'kairship.io',
    apiVersion: 'v1alpha1',
    ...(subresource && { subresource }),
  }
}

const instanceOf = ({
  resource,
  name,
}: Extract<Action, { readonly resource: string }>): string | undefined =>
  resource.split('/')[0] === 'instances' ? name : undefined
