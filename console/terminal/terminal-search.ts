/** The container and command of a terminal, from its address. */
export interface TerminalSearch {
  readonly cluster: string
  readonly namespace: string
  readonly pod: string
  /** Empty: the pod's default container, or its first. */
  readonly container: string
  readonly command: string
}

/** Every image with a shell has this one. It does nothing until the user types. */
export const SHELL = 'sh'

/** The command that the user started with the button: its address, and how often it was started. */
export interface Started {
  readonly address: string
  readonly attempt: number
}

/** A key of the container and the command. */
export const addressOf = ({ cluster, namespace, pod, container, command }: TerminalSearch): string =>
  JSON.stringify([cluster, namespace, pod, container, command])

/**
 * Whether the command of an address runs now. Anyone can send such an address and any page can link to it, and its command runs as the user: so only
 * the user starts it. A plain shell starts by itself.
 */
export const runs = (search: TerminalSearch, started: Started | undefined): boolean =>
  started === undefined ? search.command === SHELL : started.address === addressOf(search)

/** Reads search parameters of an address, which anybody may have typed. */
export const terminalSearch = (search: Record<string, unknown>): TerminalSearch => {
  const text = (key: string) => {
    const value = search[key]
    return typeof value === 'string' ? value : ''
  }
  return {
    cluster: text('cluster'),
    namespace: text('namespace'),
    pod: text('pod'),
    container: text('container'),
    command: text('command') || SHELL,
  }
}

/** The path of the instance's proxy that runs a command with a terminal in a container of a member. */
export function execPath(instance: string, search: TerminalSearch): string {
  const { cluster, namespace, pod, container, command } = search
  const part = encodeURIComponent
  const query = new URLSearchParams({ stdin: 'true', stdout: 'true', tty: 'true' })
  if (container !== '') query.set('container', container)
  for (const word of command.split(/\s+/).filter(Boolean)) query.append('command', word)
  return `/apis/kairship.io/v1alpha1/instances/${part(instance)}/proxy/apis/cluster.karmada.io/v1alpha1/clusters/${part(cluster)}/proxy/api/v1/namespaces/${part(namespace)}/pods/${part(pod)}/exec?${query}`
}
