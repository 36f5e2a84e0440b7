import { completeClusterpediaApi } from './clusterpedia-api.js'
import { editedKarmadaSuite, SUITE_EDITS } from './karmada-suite.js'

/**
 * The real engines, by program family. A family is one small Go module whose `go.mod` names the programs as tools and
 * whose `go.sum` pins every byte of them; the version numbers below only stamp the binaries, `go.mod` decides.
 */

/** One program: the package that holds its `main`, and the name its binary gets. */
export interface Program {
  readonly name: string
  readonly package: string
  /** Built only by `npm run real:build`: for work by hand, no suite needs it. */
  readonly byHand?: boolean
  /** The package's tests are the program (`go test -c`). */
  readonly isTest?: boolean
  /** Go's build tags. */
  readonly tags?: string
}

/** A module that is copied beside `go.mod`, which names the copy in a `replace`, and is edited there before the family compiles. */
export interface EditedModule {
  /** Name of the folder under `test/real/` whose `go.mod` pins the module. */
  readonly pinnedBy: string
  readonly module: string
  readonly into: string
  /** What is edited: programs that were built with something else are built again. */
  readonly edits?: object
  /** @param published folder of the module in Go's module cache */
  readonly edit: (published: string, target: string) => void
}

/** Programs that come from one Go module graph. */
export interface Family {
  /** Name of the folder under `test/real/` that holds `go.mod` and `go.sum`. */
  readonly folder: string
  /** `-X` linker values that make the programs report the version they are. */
  readonly stamps: Readonly<Record<string, string>>
  readonly programs: readonly Program[]
  readonly edited?: EditedModule
  /** True where the folder holds Go files of our own beside `go.mod`, which are built with it. */
  readonly ownSources?: boolean
}

const componentVersion = 'k8s.io/component-base/version'
const karmada = 'github.com/karmada-io/karmada'
const clusterpedia = 'github.com/clusterpedia-io/clusterpedia'

/** With it a scheduler and estimators understand each other; without it the scheduler panics at the first estimate. */
const PROTO_MESSAGES = 'kubernetes_protomessage_one_more_release'

/** Every family, in the order in which they are worth having: the first ones are needed by all suites. */
export const families: readonly Family[] = [
  {
    folder: 'etcd',
    stamps: {},
    programs: [{ name: 'etcd', package: 'go.etcd.io/etcd/server/v3' }],
  },
  {
    folder: 'kubernetes',
    stamps: {
      [`${componentVersion}.gitVersion`]: 'v1.36.2',
      [`${componentVersion}.gitMajor`]: '1',
      [`${componentVersion}.gitMinor`]: '36',
      [`${componentVersion}.gitTreeState`]: 'clean',
      [`${componentVersion}.gitCommit`]: '24e2b02af5543d7910c2bb074c7264df5a8f0467',
      [`${componentVersion}.buildDate`]: '2026-01-01T00:00:00Z',
    },
    programs: [
      { name: 'kube-apiserver', package: 'k8s.io/kubernetes/cmd/kube-apiserver' },
      { name: 'kube-controller-manager', package: 'k8s.io/kubernetes/cmd/kube-controller-manager' },
      { name: 'kube-scheduler', package: 'k8s.io/kubernetes/cmd/kube-scheduler' },
      { name: 'kubectl', package: 'k8s.io/kubernetes/cmd/kubectl' },
    ],
  },
  {
    folder: 'karmada',
    stamps: {
      [`${karmada}/pkg/version.gitVersion`]: 'v1.18.2',
      [`${karmada}/pkg/version.gitTreeState`]: 'clean',
    },
    programs: [
      { name: 'karmada-aggregated-apiserver', package: `${karmada}/cmd/aggregated-apiserver` },
      { name: 'karmada-controller-manager', package: `${karmada}/cmd/controller-manager` },
      { name: 'karmada-scheduler', package: `${karmada}/cmd/scheduler` },
      { name: 'karmada-webhook', package: `${karmada}/cmd/webhook` },
      { name: 'karmadactl', package: `${karmada}/cmd/karmadactl` },
      { name: 'karmada-operator', package: `${karmada}/operator/cmd/operator` },
    ],
  },
  {
    folder: 'karmada-oracle',
    stamps: {},
    programs: [{ name: 'karmada-oracle', package: '.' }],
    ownSources: true,
  },
  {
    folder: 'karmada-e2e',
    stamps: {},
    edited: {
      pinnedBy: 'karmada',
      module: karmada,
      into: 'karmada',
      edits: SUITE_EDITS,
      edit: editedKarmadaSuite,
    },
    programs: [
      { name: 'karmada-e2e', package: `${karmada}/test/e2e/suites/base`, isTest: true },
      ...['scheduler', 'scheduler-estimator'].map(name => ({
        name: name === 'scheduler' ? 'karmada-estimating-scheduler' : `karmada-${name}`,
        package: `${karmada}/cmd/${name}`,
        byHand: true,
        tags: PROTO_MESSAGES,
      })),
      {
        name: 'karmada-interpreter-webhook-example',
        package: `${karmada}/examples/customresourceinterpreter/webhook`,
        byHand: true,
      },
    ],
  },
  {
    folder: 'clusterpedia',
    stamps: {
      [`${clusterpedia}/pkg/version.gitVersion`]: 'v0.9.1',
      [`${componentVersion}.gitVersion`]: 'v1.31.2',
      [`${componentVersion}.gitMajor`]: '1',
      [`${componentVersion}.gitMinor`]: '31',
    },
    edited: {
      pinnedBy: 'clusterpedia-api',
      module: 'github.com/clusterpedia-io/api',
      into: 'api',
      edit: completeClusterpediaApi,
    },
    programs: [
      { name: 'clusterpedia-apiserver', package: `${clusterpedia}/cmd/apiserver` },
      { name: 'clusterpedia-clustersynchro-manager', package: `${clusterpedia}/cmd/clustersynchro-manager` },
    ],
  },
  {
    folder: 'kwok',
    stamps: {},
    programs: [{ name: 'kwok', package: 'sigs.k8s.io/kwok/cmd/kwok' }],
  },
  {
    folder: 'grpcurl',
    stamps: {},
    programs: [{ name: 'grpcurl', package: 'github.com/fullstorydev/grpcurl/cmd/grpcurl', byHand: true }],
  },
  {
    folder: 'helm',
    stamps: {},
    programs: [{ name: 'helm', package: 'helm.sh/helm/v4/cmd/helm' }],
  },
  {
    folder: 'argocd',
    stamps: {},
    programs: [{ name: 'argocd-engine', package: '.' }],
    ownSources: true,
  },
  {
    folder: 'informer',
    stamps: {},
    programs: [{ name: 'informer', package: '.' }],
    ownSources: true,
  },
]
