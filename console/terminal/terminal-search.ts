/** Which container a terminal is in, as its address says. */
export interface TerminalSearch {
  readonly cluster: string
  readonly namespace: string
  readonly pod: string
  /** Empty: the pod's first, or the one that it names as its default. */
  readonly container: string
  readonly command: string
}

/** Every image that has a shell has this one. It does nothing until somebody types. */
export const SHELL = 'sh'

/** What a reader has started by hand: the command of one address, for the nth time. */
export interface Started {
  readonly address: string
  readonly attempt: number
}

/** Names the container and the command of an address. */
export const addressOf = ({ cluster, namespace, pod, container, command }: TerminalSearch): string =>
  JSON.stringify([cluster, namespace, pod, container, command])

/**
 * Whether the command of an address runs now. Anyone can send an address, and any page can open it: a command in it runs in the reader's name, so
 * the reader starts it. A shell alone begins by itself.
 */
export const runs = (search: TerminalSearch, started: Started | undefined): boolean =>
  started === undefined ? search.command === SHELL : started.address === addressOf(search)

/** Reads it from an address, which anyone may have typed. */
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

/** The path by which the instance's proxy runs a command in a container of a member, with a terminal. */
export function execPath(instance: string, search: TerminalSearch): string {
  const { cluster, namespace, pod, container, command } = search
  const part = encodeURIComponent
  const query = new URLSearchParams({ stdin: 'true', stdout: 'true', tty: 'true' })
  if (container !== '') query.set('container', container)
  for (const word of command.split(/\s+/).filter(Boolean)) query.append('command', word)
  return `/apis/kairship.io/v1alpha1/instances/${part(instance)}/proxy/apis/cluster.karmada.io/v1alpha1/clusters/${part(cluster)}/proxy/api/v1/namespaces/${part(namespace)}/pods/${part(pod)}/exec?${query}`
}
