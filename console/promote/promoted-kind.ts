/** The kinds of a member's objects that can become templates, by their names in addresses. */
export const promotedKinds = { deployments: 'Deployment', services: 'Service', ingresses: 'Ingress' } as const
export type PromotedKind = keyof typeof promotedKinds

export const isPromotedKind = (text: unknown): text is PromotedKind =>
  typeof text === 'string' && Object.hasOwn(promotedKinds, text)

/** Their types, in RBAC's terms. */
export const promotedTypes: Readonly<
  Record<PromotedKind, { readonly group: string; readonly resource: string }>
> = {
  deployments: { group: 'apps', resource: 'deployments' },
  services: { group: '', resource: 'services' },
  ingresses: { group: 'networking.k8s.io', resource: 'ingresses' },
}
