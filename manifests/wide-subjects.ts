/** Groups that hold whom nobody has chosen, and whom they hold. */
const WIDE: Readonly<Record<string, string>> = {
  'system:authenticated':
    'everyone who can log in, now and later; inside the instance also each of its service accounts, that of Kairship which impersonates callers among them',
  'system:serviceaccounts':
    'each service account of the host and, inside the instance, of the instance, that of Kairship which impersonates callers among them',
  'system:unauthenticated':
    'everyone without a credential: Kairship refuses them, but the control plane serves them where it allows anonymous requests',
  'system:masters':
    'everyone who may do everything inside already: the role adds nothing but the way through Kairship',
}
const OF_NAMESPACE = /^system:serviceaccounts:(.+)$/

/**
 * What a role binding gives beyond what its author may mean: one sentence for each subject that is a group of Kubernetes' own, or its
 * anonymous user. Kubernetes takes such a binding, and so does Kairship.
 */
export const warningsOf = (
  subjects: readonly { readonly kind: string; readonly name: string }[],
): readonly string[] =>
  subjects.flatMap(({ kind, name }) => {
    const [, namespace] = OF_NAMESPACE.exec(name) ?? []
    const holds =
      kind === 'User' && name === 'system:anonymous'
        ? WIDE['system:unauthenticated']
        : kind !== 'Group'
          ? undefined
          : Object.hasOwn(WIDE, name)
            ? WIDE[name]
            : namespace &&
              `each service account of the namespace ${namespace}, on the host and inside the instance: who may create Pods there has the role`
    return holds ? [`the ${kind.toLowerCase()} ${name} is ${holds}`] : []
  })
