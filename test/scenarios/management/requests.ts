import type { ManagedWorld } from '../support/managed-world.js'

/** The fields by which requests name a namespace of the world's instance, an object in it, and the whole instance. */
export const requestsTo = (world: Pick<ManagedWorld<never>, 'instance'>) => {
  const at = (namespace = 'default') => ({ instance: world.instance, namespace })
  return {
    at,
    named: (name: string, namespace = 'default') => ({ ...at(namespace), name }),
    whole: () => ({ instance: world.instance }),
  }
}

/** What the audit says of calls of an operation that name an object: the wire, how each ended, and whether it was a dry run. */
export const triedIn = (
  { world }: Pick<ManagedWorld<never>, 'world'>,
  operation: string,
  name: string,
): readonly (readonly [unknown, unknown, boolean])[] =>
  world.log
    .audits()
    .filter(audit => String(audit.operation).endsWith(`_${operation}`) && nameOf(audit) === name)
    .map(({ wire, code, dryRun }) => [wire, code, dryRun === true])

const nameOf = ({ target, name }: Record<string, unknown>): unknown =>
  (target as { name?: string } | undefined)?.name ?? name

/** A manifest of the core group. */
export const object = (kind: string, name: string, rest: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, ...metadata },
  ...rest,
})

/** A manifest as requests have it. */
export const data = (manifest: object) => JSON.stringify(manifest)

/** The names of objects. */
export const namesIn = (items: readonly { metadata: { name: string } }[]) =>
  items.map(({ metadata }) => metadata.name)

/** The names of what a list shows. */
export const namesOf = ({ items }: { items: readonly { metadata: { name: string } }[] }) => namesIn(items)
