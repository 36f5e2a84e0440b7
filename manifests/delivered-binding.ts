import { z } from 'zod'
import { INSTANCE_ROLE_BINDINGS, type InstanceRoleBinding } from './instance-role-binding.js'
import type { GroupVersionResource } from './kube.js'
import { WORKSPACE_ROLE_BINDINGS, type WorkspaceRoleBinding } from './workspace-role-binding.js'

/** Says of a role binding that Global Management delivers it. Bindings without it are other people's, and no delivery changes them. */
export const DELIVERED_LABEL = 'kairship.io/delivered-by'
const DELIVERED_BY = 'global-management'
/** Selects the bindings that are delivered. */
export const DELIVERED_SELECTOR = `${DELIVERED_LABEL}=${DELIVERED_BY}`
/** The sequence of the newest delivery that a binding is the result of. */
export const SEQUENCE_ANNOTATION = 'kairship.io/delivered-sequence'

const objectName = z
  .string()
  .max(253)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/, 'must be a lowercase DNS name')
const namespaceName = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'must be the name of a namespace')
const subject = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['User', 'Group']), name: z.string().min(1).max(253) }),
  z.strictObject({
    kind: z.literal('ServiceAccount'),
    name: z.string().min(1).max(253),
    namespace: z.string().min(1).max(63),
  }),
])
/** A number that the sender counts up with every change of anything; JSON numbers are exact up to here. */
export const sequence = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER)
/** A time of RFC 3339. */
export const instant = z.iso.datetime({ offset: true })

const common = {
  name: objectName,
  role: z.enum(['Admin', 'Editor', 'Viewer']),
  subjects: z.array(subject).min(1).max(256),
  expiresAt: instant.optional(),
  reason: z.string().max(512).optional(),
}

/** A role binding as Global Management sends it: of an instance or some of its namespaces, or of a workspace. */
export const deliveredBinding = z.union([
  z.strictObject({
    ...common,
    instance: objectName,
    namespaces: z
      .array(namespaceName)
      .min(1)
      .max(256)
      .refine(names => new Set(names).size === names.length, 'must not name a namespace twice')
      .optional(),
  }),
  z.strictObject({ ...common, workspace: objectName }),
])
export type DeliveredBinding = z.infer<typeof deliveredBinding>

/** A role binding of either kind on the host. */
export type StoredBinding = InstanceRoleBinding | WorkspaceRoleBinding

/** The type that a delivered binding is stored in. */
export const resourceOfDelivered = (binding: DeliveredBinding): GroupVersionResource =>
  'workspace' in binding ? WORKSPACE_ROLE_BINDINGS : INSTANCE_ROLE_BINDINGS

/**
 * What a delivered binding is on the host. One that was deleted stays for a day as one that has ended: it gives nothing, and its sequence
 * keeps a late delivery from giving it again.
 * @param endedAt when it was deleted, RFC 3339
 */
export function renderDelivered(
  binding: DeliveredBinding,
  delivered: number,
  endedAt?: string,
): StoredBinding {
  const { name, ...spec } = binding
  const expiresAt = endedAt ?? spec.expiresAt
  const metadata = {
    name,
    labels: { [DELIVERED_LABEL]: DELIVERED_BY },
    annotations: { [SEQUENCE_ANNOTATION]: `${delivered}` },
  }
  const { expiresAt: _, reason, ...rest } = spec
  const given = {
    ...rest,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(reason !== undefined && { reason }),
  }
  const kind = 'workspace' in binding ? 'WorkspaceRoleBinding' : 'InstanceRoleBinding'
  return { apiVersion: 'kairship.io/v1alpha1', kind, metadata, spec: given } as StoredBinding
}

/** Whether a stored binding is delivered, and so is for deliveries to change. */
export const isDelivered = ({ metadata }: StoredBinding): boolean =>
  metadata.labels?.[DELIVERED_LABEL] === DELIVERED_BY

/** The sequence of a stored binding; 0 where there is none to read, so that any delivery is newer. */
export function sequenceOf({ metadata }: StoredBinding): number {
  const text = metadata.annotations?.[SEQUENCE_ANNOTATION] ?? ''
  const number = /^\d{1,16}$/.test(text) ? Number(text) : 0
  return Number.isSafeInteger(number) ? number : 0
}
