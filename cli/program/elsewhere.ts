import type { Command } from 'commander'
import { CommandError, ExitCode } from '../exit-code.js'

const POD_WORDS = ['pods', 'pod', 'po'] as const

const PODS = `pods are in the member clusters of an instance:
  kairship workloads INSTANCE -o wide               counts them by cluster
  kairship logs INSTANCE deployment/NAMESPACE/NAME  prints what they write
  kairship kubeconfig INSTANCE --merge              for kubectl, which finds pods below
    /apis/cluster.karmada.io/v1alpha1/clusters/MEMBER/proxy of the server in it`

const OTHERS = `Objects of an instance: kairship clusters INSTANCE, kairship workloads INSTANCE, kairship policies INSTANCE.
Its other objects: kubectl, with the file that "kairship kubeconfig INSTANCE" prints.
Audit events, workspaces and all else: the management API, which /docs of the server shows.`

/** Lets `get` say where to find what kubectl lists and it does not. `get pods` is neither in the help nor completed. */
export function addElsewhere(get: Command): void {
  get.showHelpAfterError(OTHERS)
  const [first, ...others] = POD_WORDS
  get
    .command(`${first} [words...]`, { hidden: true })
    .aliases(others)
    .helpOption(false)
    .allowUnknownOption()
    .action(() => {
      throw new CommandError(PODS, ExitCode.usage)
    })
}
