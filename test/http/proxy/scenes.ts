/** One command: its words, and what it is given on stdin. */
export interface Step {
  readonly words: readonly string[]
  readonly input?: string
  /** How it must end; `either` where kubectls differ. */
  readonly ends: 'well' | 'badly' | 'either'
}

/** Commands that are run one after the other, directly and through the proxy, and must say the same both times. */
export interface Scene {
  readonly what: string
  readonly steps: readonly Step[]
}

const settings = (colour: string, more = '') => `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, labels: {app: shop}${more}}
data:
  colour: ${colour}
`

const shop = (image = 'shop:1') => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, labels: {app: shop}}
spec:
  replicas: 1
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec: {containers: [{name: main, image: '${image}'}]}
`

/** It selects nothing: what Karmada does to what is selected would come at any moment. */
const policy = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: nothing}]
  placement: {clusterAffinity: {clusterNames: [nowhere]}}
`

/** A command that must fail begins with `!`; with `?` one that some kubectls do not know. */
function step(line: string, input?: string, before: readonly string[] = []): Step {
  const ends = line.startsWith('!') ? 'badly' : line.startsWith('?') ? 'either' : 'well'
  const words = [...before, ...line.replace(/^[!?] /, '').split(' ')]
  return { words, ends, ...(input === undefined ? {} : { input }) }
}

/** In a namespace that it makes and deletes, so that it can be played again. */
const inside = (
  what: string,
  lines: readonly (string | readonly [string, string])[],
  namespace = 'scene',
): Scene => ({
  what,
  steps: [
    step(`create namespace ${namespace}`),
    ...lines.map(line => {
      const [words, input] = typeof line === 'string' ? [line, undefined] : line
      return step(words, input, ['-n', namespace])
    }),
    step(`delete namespace ${namespace}`),
  ],
})

export const scenes: readonly Scene[] = [
  {
    what: 'discovery, explain, version, auth can-i',
    steps: [
      'version -o json',
      'api-versions',
      'api-resources --sort-by=name -o wide',
      'api-resources --api-group=policy.karmada.io --verbs=list,get -o name',
      'explain deployment.spec.strategy',
      'explain propagationpolicy.spec.placement',
      'cluster-info',
      'auth can-i create deployments.apps',
      'auth can-i --list',
      'get clusters.cluster.karmada.io -o wide',
      // One of them: of others, one may be on its way in or out.
      'get namespaces -l kubernetes.io/metadata.name=default -o wide',
      'get crd',
    ].map(line => step(line)),
  },
  inside('create, get in every format, describe, delete', [
    'create configmap made --from-literal=a=b',
    '! create configmap made --from-literal=a=b',
    'create secret generic hidden --from-literal=a=b',
    'create deployment shop --image=shop:1',
    'create service clusterip shop --tcp=80:8080',
    'create serviceaccount robot',
    'create role reader --verb=get,list --resource=configmaps',
    'create rolebinding reader --role=reader --serviceaccount=scene:robot',
    ['create -f -', policy],
    ['create --dry-run=server -o yaml -f -', settings('dry')],
    'get all',
    'get deployments,services,configmaps -o wide --show-labels',
    'get propagationpolicies',
    'get configmap made -o yaml',
    'get configmap made -o json',
    'get configmap made -o name',
    'get configmap made -o jsonpath={.data.a}',
    'get configmap made -o custom-columns=NAME:.metadata.name,A:.data.a',
    'get configmap made -o go-template={{.data.a}}',
    'get configmaps --field-selector=metadata.name=made',
    'get configmaps --sort-by=.metadata.name',
    'get pods',
    '! get configmap absent',
    '! get nonsense',
    'describe deployment shop',
    'describe configmap made',
    'describe role reader',
    '! delete configmap made absent',
    'delete service shop',
    'delete deployments --all',
  ]),
  inside('apply and diff, on both sides', [
    ['apply -f -', settings('red')],
    ['apply -f -', settings('red')],
    ['! diff -f -', settings('blue')],
    ['apply -f -', settings('blue')],
    ['apply --dry-run=server -f -', settings('pink')],
    ['apply --server-side -f -', settings('green')],
    ['apply --server-side --force-conflicts -f -', settings('green')],
    ['! apply --server-side --field-manager=other -f -', settings('white')],
    ['apply --server-side --field-manager=other --force-conflicts -f -', settings('white')],
    ['! diff --server-side --field-manager=other -f -', settings('black')],
    ['apply -f -', `${shop()}---${policy}`],
    ['apply -f -', shop('shop:2')],
    ['! apply -f -', shop().replace('replicas', 'replicaz')],
    'apply view-last-applied deployment shop',
    'get configmap settings -o yaml',
    ['? apply --prune -l app=shop --prune-whitelist=core/v1/ConfigMap -f -', shop('shop:2')],
    ['delete -f -', shop()],
  ]),
  inside('edit, patch, replace, label, annotate, scale, set', [
    ['create --save-config -f -', settings('red')],
    'edit configmap settings',
    'get configmap settings -o jsonpath={.data}',
    'patch configmap settings --type=merge -p {"data":{"size":"s"}}',
    'patch configmap settings --type=json -p [{"op":"replace","path":"/data/size","value":"m"}]',
    '! patch configmap settings --type=json -p [{"op":"test","path":"/data/size","value":"x"}]',
    ['replace -f -', settings('black')],
    ['replace --force -f -', settings('grey')],
    'label configmap settings tier=front',
    '! label configmap settings tier=back',
    'label configmap settings tier=back --overwrite',
    'label configmap settings tier-',
    'annotate configmap settings note=hello',
    'get configmap settings -o yaml',
    ['apply -f -', shop()],
    'patch deployment shop -p {"spec":{"template":{"spec":{"containers":[{"name":"main","image":"shop:3"}]}}}}',
    'scale deployment shop --replicas=3',
    '! scale deployment shop --replicas=2 --current-replicas=9',
    'set image deployment/shop main=shop:4',
    'set env deployment/shop MODE=calm',
    'rollout pause deployment/shop',
    'rollout resume deployment/shop',
    'rollout history deployment/shop',
    '? autoscale deployment shop --min=1 --max=3',
    'get deployment shop -o jsonpath={.spec.replicas}{.spec.template.spec.containers[0]}',
  ]),
  inside('wait', [
    ['apply -f -', settings('red', ', finalizers: []')],
    '? wait --for=delete configmap/absent --timeout=30s',
    '! wait --for=condition=Available deployment/absent --timeout=30s',
    'delete configmap settings --wait=true',
    '! get configmap settings',
  ]),
]

/** Through `clusters/{member}/proxy`, where workloads run. A namespace of its own: Karmada gives its namespaces to members, too. */
export const memberScene: Scene = inside(
  'a member behind clusters/{member}/proxy',
  [
    'api-resources --api-group=apps -o name',
    'get nodes -o wide',
    ['apply -f -', shop()],
    'rollout status deployment/shop',
    'wait --for=condition=Available deployment/shop --timeout=60s',
    'get pods -o wide',
    'scale deployment shop --replicas=2',
    'rollout status deployment/shop',
    'get deployment shop',
    'describe deployment shop',
    'delete deployment shop',
  ],
  'member-scene',
)
