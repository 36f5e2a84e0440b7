import { INSTANCES, type Instance } from '../../../manifests/instance.js'
import { resourcePath } from '../../../manifests/kube.js'
import { isConflict } from '../../../manifests/status-error.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { Call } from '../../call/call.js'
import { WRITE_QUERY } from '../../call/write-query.js'
import type { InstanceReading } from '../../instances/instance-reading.js'
import type { OwnWrites } from '../../instances/own-writes.js'
import { inField } from '../kind/in-field.js'
import type { Replacement } from './manifest.js'

/** So many tries where the caller names no version: Kairship itself writes finalizer and status of an Instance that comes up. */
const MOST_ATTEMPTS = 5

/**
 * Replaces what callers own of an Instance, and keeps everything else.
 * @throws StatusError Conflict where it has changed since the version that the caller names, or is another than the one of its uid
 */
export async function replaceInstance(
  { host, instances, ownWrites }: { host: KubeApi; instances: InstanceReading; ownWrites: OwnWrites },
  call: Call,
  name: string,
  { labels, annotations, spec, resourceVersion, uid }: Replacement,
): Promise<Instance> {
  for (let attempt = 1; ; attempt += 1) {
    const current = await instances.onHost(name, call)
    const { managedFields: _, ...metadata } = current.metadata
    const pinned = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) }
    const body = { ...current, metadata: { ...metadata, labels, annotations, ...pinned }, spec }
    const send = () =>
      host.request<Instance>({
        method: 'PUT',
        path: resourcePath(INSTANCES, { name }),
        query: WRITE_QUERY,
        body,
        signal: call.signal,
      })
    try {
      return await inField('data', ownWrites.write('update', name, call, send))
    } catch (error) {
      const isAnother = Boolean(uid) && uid !== current.metadata.uid
      if (!isConflict(error) || resourceVersion || isAnother || attempt >= MOST_ATTEMPTS) throw error
    }
  }
}
