/** core/v1 LoadBalancerIngress, and that of Ingresses, which lacks `ipMode`. */
interface Ingress {
  readonly hostname?: string
  readonly ip?: string
  readonly ipMode?: string
  readonly ports?: readonly PortStatus[]
}

interface PortStatus {
  readonly port: number
  readonly protocol: string
  readonly error?: string
}

/** The addresses that members report, each once with all its ports: by host name, then by address. */
export function mergedIngress(reported: readonly unknown[]): readonly Ingress[] {
  const merged = new Map<string, { readonly ingress: Ingress; readonly ports: Map<string, PortStatus> }>()
  for (const { ports = [], ...ingress } of reported as readonly Ingress[]) {
    const key = JSON.stringify([ingress.hostname ?? '', ingress.ip ?? '', ingress.ipMode ?? null])
    const entry = merged.get(key) ?? { ingress, ports: new Map() }
    for (const port of ports)
      entry.ports.set(JSON.stringify([port.port, port.protocol, port.error ?? null]), port)
    merged.set(key, entry)
  }
  return [...merged.values()]
    .map(({ ingress, ports }) => ({
      ...ingress,
      ...(ports.size > 0 && { ports: [...ports.values()].sort(byPort) }),
    }))
    .sort(byAddress)
}

/** Those without a host name last. */
function byAddress(a: Ingress, b: Ingress): number {
  const [one, other] = [a.hostname ?? '', b.hostname ?? '']
  if (one !== other) return other === '' ? -1 : one === '' ? 1 : compare(one, other)
  return (
    compare(a.ip ?? '', b.ip ?? '') ||
    compare(b.ipMode === undefined ? 0 : 1, a.ipMode === undefined ? 0 : 1) ||
    compare(a.ipMode ?? '', b.ipMode ?? '')
  )
}

const byPort = (a: PortStatus, b: PortStatus): number =>
  a.port - b.port || compare(a.protocol, b.protocol) || compare(a.error ?? '', b.error ?? '')

const compare = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)
