import {
  atomicList,
  condition,
  dateTime,
  described,
  flag,
  int32,
  int64,
  labels,
  list,
  object,
  quantity,
  resourceList,
  type Schema,
  text,
} from '../objects/schema.js'

const secretReference = object({ namespace: text, name: text }, ['namespace', 'name'])
const modelRange = object({ name: text, min: quantity, max: quantity }, ['name', 'min', 'max'])

const spec = object({
  id: described("uid of the member's kube-system namespace; unique in this control plane.", text),
  syncMode: described(
    'Push: the control plane writes to the member. Pull: an agent in the member reads.',
    text,
  ),
  apiEndpoint: text,
  secretRef: secretReference,
  impersonatorSecretRef: secretReference,
  insecureSkipTLSVerification: flag,
  proxyURL: text,
  proxyHeader: labels,
  provider: text,
  region: text,
  zone: described('Deprecated; moved into zones.', text),
  zones: list(text),
  taints: list(object({ key: text, value: text, effect: text, timeAdded: dateTime }, ['key', 'effect'])),
  resourceModels: list(object({ grade: int64, ranges: list(modelRange) }, ['grade', 'ranges'])),
})

const status = object({
  kubernetesVersion: text,
  apiEnablements: list(
    object({ groupVersion: text, resources: list(object({ name: text, kind: text }, ['name', 'kind'])) }, [
      'groupVersion',
    ]),
  ),
  conditions: atomicList(condition),
  nodeSummary: object({ totalNum: int32, readyNum: int32 }),
  resourceSummary: object({
    allocatable: resourceList,
    allocating: resourceList,
    allocated: resourceList,
    allocatableModelings: list(object({ grade: int64, count: int64 }, ['grade', 'count'])),
  }),
  remedyActions: list(text),
})

/** The schema of a Cluster. Whether syncMode is present is the registry's own check, with its own words. */
export const clusterSchema: Schema = {
  ...described(
    'A member cluster of this control plane.',
    object({ apiVersion: text, kind: text, metadata: { type: 'object' }, spec, status }, ['spec']),
  ),
  model: 'com.github.karmada-io.karmada.pkg.apis.cluster.v1alpha1.Cluster',
}
