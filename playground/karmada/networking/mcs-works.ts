import { executionNamespace, workName } from '../../../karmada/names.js'
import { OF_MCS } from '../../../karmada/networking/marks.js'
import type { MultiClusterService } from '../../../karmada/networking/multi-cluster-service.js'
import { clusterOf, finalizerOf } from '../../../karmada/networking/slice-works.js'
import { WORKS, type Work } from '../../../karmada/objects/work.js'
import type { KubeObject } from '../../../manifests/kube.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { remove, update, withoutFinalizer } from '../../client/write.js'
import type { Observed } from '../propagation/observed.js'

/** Where a namespaced object is. */
export const place = ({ metadata: { namespace = '', name } }: KubeObject) => ({ namespace, name })

const FINALIZER = finalizerOf('MultiClusterService')

/** The Works that are made for MultiClusterServices. */
export class McsWorks {
  constructor(
    private readonly control: KubeApi,
    private readonly observed: Observed,
  ) {}

  /** The Works that stay and are meant. */
  all(isMeant: (work: Work) => boolean): readonly Work[] {
    return this.observed.works
      .values()
      .filter(work => work.metadata.deletionTimestamp === undefined && isMeant(work))
  }

  /** The Work that says that a cluster provides a Service. */
  ofProvider(
    { kind, metadata: { name, namespace } }: MultiClusterService,
    cluster: string,
  ): Work | undefined {
    return this.observed.works.get(`${executionNamespace(cluster)}/${workName(kind, name, namespace)}`)
  }

  /** Deletes the Works that say that a cluster provides a Service, of all clusters but some. */
  async dropProviders(mcs: MultiClusterService, stay: ReadonlySet<string>): Promise<void> {
    const id = mcs.metadata.labels?.[OF_MCS.id]
    if (id === undefined) return
    for (const work of this.all(({ metadata }) => metadata.labels?.[OF_MCS.id] === id))
      if (!stay.has(clusterOf(work))) await remove(this.control, WORKS, place(work))
  }

  /** Lets collected Works of a Service go that are deleted. To be called when what was dispatched of them is gone. */
  async finish(service: { readonly namespace: string; readonly name: string }): Promise<void> {
    for (const work of this.observed.works.values()) {
      const { labels = {}, deletionTimestamp, finalizers = [] } = work.metadata
      const isMine = labels[OF_MCS.namespace] === service.namespace && labels[OF_MCS.name] === service.name
      if (!isMine || !deletionTimestamp || !finalizers.includes(FINALIZER)) continue
      await update<Work>(this.control, WORKS, place(work), one => withoutFinalizer(one, FINALIZER))
    }
  }
}
