import { formatQuantity } from '../../manifests/quantity.js'

/** The group and version that metrics-server serves. */
export const [METRICS_GROUP, METRICS_VERSION] = ['metrics.k8s.io', 'v1beta1']

/** What something used: billionths of a core, and bytes. */
export interface Usage {
  readonly cpu: bigint
  readonly memory: bigint
}

/** What one container used. */
export interface ContainerUsage extends Usage {
  readonly name: string
}

const BILLION = 1_000_000_000n

/** As metrics-server writes it. */
export const usageList = ({ cpu, memory }: Usage): { readonly cpu: string; readonly memory: string } => ({
  cpu: formatQuantity({ nano: cpu, format: 'DecimalSI' }),
  memory: formatQuantity({ nano: memory * BILLION, format: 'BinarySI' }),
})

/** The sum of some usages. */
export const together = (usages: readonly Usage[]): Usage =>
  usages.reduce((sum, { cpu, memory }) => ({ cpu: sum.cpu + cpu, memory: sum.memory + memory }), {
    cpu: 0n,
    memory: 0n,
  })
