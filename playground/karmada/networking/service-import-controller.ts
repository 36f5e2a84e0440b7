import { type DerivedService, derivedService } from '../../../karmada/networking/service-import.js'
import { derivedName } from '../../../karmada/networking/slice-works.js'
import { sameJson } from '../../../karmada/same-json.js'
import { objectKey } from '../../../streams/object-store.js'
import { type ReconcileResult, Reconciler } from '../../client/reconciler.js'
import { ensure, remove, update } from '../../client/write.js'
import { SERVICES } from '../../objects/core-types.js'
import { normal } from '../propagation/events.js'
import type { NetworkingOptions } from './networking-options.js'

const COMPONENT = 'service-import-controller'

/** Karmada's ServiceImport controller: the Service that members reach an imported Service by. Policies of the ServiceImport propagate it. */
export class ServiceImportController {
  readonly #options: NetworkingOptions
  readonly #queue: Reconciler

  constructor(options: NetworkingOptions) {
    this.#options = options
    this.#queue = new Reconciler({ log: options.log, reconcile: key => this.#reconcile(key) })
    options.observed.serviceImports.listen(({ object }) => this.#queue.add(objectKey(object)))
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  async #reconcile(key: string): Promise<ReconcileResult> {
    const { control, observed, events } = this.#options
    await observed.synced()
    const [namespace = '', name = ''] = key.split('/')
    const place = { namespace, name: derivedName(name) }
    const imported = observed.serviceImports.get(key)
    if (!imported) {
      await remove(control, SERVICES, place)
      return undefined
    }
    const wanted = derivedService(imported)
    if (!wanted) return undefined
    const { status, ...object } = wanted
    await ensure<DerivedService>(control, SERVICES, object)
    const now = await update<DerivedService>(control, SERVICES, place, one => {
      const next = { ...one, spec: { ...one.spec, ...wanted.spec } }
      return hasPorts(one, wanted) ? one : next
    })
    await update<DerivedService>(control, SERVICES, { ...place, subresource: 'status' }, one =>
      sameJson(one.status ?? {}, status) || !now ? one : { ...one, ...(status && { status }) },
    )
    const message = `Sync derived service for serviceImport(${name}) succeed.`
    events.tell(imported, COMPONENT, normal('SyncDerivedServiceSucceed', message))
    return undefined
  }
}

/** Whether a Service has the wanted ports; the control plane fills in what was not asked for. */
const hasPorts = (present: DerivedService, wanted: DerivedService): boolean => {
  const ports = (service: DerivedService) => (service.spec.ports ?? []) as readonly Record<string, unknown>[]
  return (
    ports(present).length === ports(wanted).length &&
    ports(wanted).every((port, at) =>
      Object.entries(port).every(([field, value]) => ports(present)[at]?.[field] === value),
    )
  )
}
