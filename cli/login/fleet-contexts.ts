import { z } from 'zod'
import { editKubeconfig, type kubeconfig } from '../client/kubeconfig-file.js'

/** What a kubeconfig of a fleet is made of. */
export interface FleetContexts {
  /** URL of the Kairship. */
  readonly server: string
  readonly certificateAuthorityData?: string | undefined
  /** The instances that its user may see. */
  readonly instances: readonly string[]
  /** The one user of all contexts, as `execUser` makes it. */
  readonly user: object
}

/** What became of the file. */
export interface WrittenContexts {
  /** Names of the contexts, in the order of the instances. */
  readonly contexts: readonly string[]
  /** Contexts of instances that are gone, or that the user may not see any more. */
  readonly removed: readonly string[]
  /** Absent where the current context was removed. */
  readonly current?: string
}

type Kubeconfig = z.output<typeof kubeconfig>
type Named = { readonly name: string } & Record<string, unknown>

const clusterEntry = z.object({ cluster: z.looseObject({ server: z.string() }) })
const contextEntry = z.object({ context: z.looseObject({ cluster: z.string(), user: z.string() }) })

/**
 * Writes a context for each instance into a kubeconfig, all with one user. Contexts of an earlier login to the same Kairship are brought up to
 * date: those of instances that are gone are removed, and what their user has set in others, such as a namespace, stays. Entries
 * of anything else are not touched.
 * @throws CommandError for a file that cannot be used
 */
export function writeFleetContexts(path: string, fleet: FleetContexts): WrittenContexts {
  let written: WrittenContexts = { contexts: [], removed: [] }
  editKubeconfig(path, before => {
    const change = changed(before, fleet)
    written = change.written
    return change.kubeconfig
  })
  return written
}

function changed(before: Kubeconfig, { server, certificateAuthorityData, instances, user }: FleetContexts) {
  const host = new URL(server).host
  const userName = `kairship@${host}`
  const clusters: readonly Named[] = before.clusters ?? []
  const users: readonly Named[] = before.users ?? []
  const contexts: readonly Named[] = before.contexts ?? []
  const ours = `${server}/apis/kairship.io/v1alpha1/instances/`
  const serverOf = (entry: Named) => clusterEntry.safeParse(entry).data?.cluster.server ?? ''
  const ourClusters = new Set(
    clusters.filter(entry => serverOf(entry).startsWith(ours)).map(({ name }) => name),
  )
  const placeOf = (entry: Named) => contextEntry.safeParse(entry).data?.context
  /** Made by a login: its cluster leads to this Kairship, and both have the same name. One that its user has renamed is theirs. */
  const isOurs = (entry: Named) => ourClusters.has(entry.name) && placeOf(entry)?.cluster === entry.name
  const taken = new Set(
    [...clusters, ...contexts].filter(one => !ourClusters.has(one.name)).map(({ name }) => name),
  )
  const nameOf = (instance: string) =>
    taken.has(`kairship-${instance}`) ? `kairship-${instance}@${host}` : `kairship-${instance}`
  const names = instances.map(nameOf)
  const removed = contexts.filter(one => isOurs(one) && !names.includes(one.name)).map(({ name }) => name)
  const keptContexts = contexts.filter(({ name }) => !removed.includes(name) && !names.includes(name))
  const inUse = new Set(keptContexts.map(one => placeOf(one)?.cluster))
  const trust = certificateAuthorityData
    ? { 'certificate-authority-data': Buffer.from(certificateAuthorityData).toString('base64') }
    : {}
  const current = before['current-context'] || names[0] || ''
  const isGone = removed.includes(current)
  return {
    written: { contexts: names, removed, ...(!isGone && current !== '' && { current }) },
    kubeconfig: {
      clusters: [
        ...clusters.filter(
          ({ name }) => !names.includes(name) && (!removed.includes(name) || inUse.has(name)),
        ),
        ...instances.map((instance, index) => ({
          name: names[index],
          cluster: { server: `${ours}${encodeURIComponent(instance)}/proxy`, ...trust },
        })),
      ],
      users: [...users.filter(({ name }) => name !== userName), { name: userName, user }],
      contexts: [
        ...keptContexts,
        ...names.map(name => {
          const known = contexts.find(one => one.name === name)
          return { name, context: { ...(known && placeOf(known)), cluster: name, user: userName } }
        }),
      ],
      // No command may go somewhere else than its user thinks.
      'current-context': isGone ? '' : current,
    },
  }
}
