import { z } from 'zod'

/**
 * The messages of the Instance service that the CLI reads, as proto3 JSON: absent means the default value, int64 is a
 * string. Fields it does not know are ignored, so that an older CLI works with a newer server.
 */
const text = z.string().default('')
const count = z.number().default(0)
const num = z.object({ totalNum: count, readyNum: count }).default({ totalNum: 0, readyNum: 0 })
const quantities = z.record(z.string(), z.string()).default({})

const condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: text,
  message: text,
  lastTransitionTime: text,
})

/** `kairship.io.api.instance.v1alpha1.Instance` */
export const instanceMessage = z.object({
  metadata: z.object({
    name: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
    /** Milliseconds since 1970. */
    creationTimestamp: z.coerce.number().default(0),
  }),
  spec: z
    .object({
      alias: text,
      description: text,
      kubeconfigSecretRef: z.object({ namespace: z.string(), name: z.string() }).nullish(),
      deletionPolicy: text,
    })
    .nullish(),
  status: z
    .object({
      karmadaVersion: text,
      kubernetesVersion: text,
      state: z.string().default('INSTANCE_STATE_UNKNOWN'),
      phase: text,
      since: text,
      conditions: z.array(condition).default([]),
      endpoint: text,
      summary: z
        .object({
          clusterSummary: num.nullish(),
          nodeSummary: num.nullish(),
          resourceSummary: z.object({ allocatable: quantities, allocated: quantities }).nullish(),
        })
        .nullish(),
    })
    .nullish(),
})

/** One instance as the API sends it. */
export type InstanceMessage = z.output<typeof instanceMessage>

/** `ListInstanceResponse`; its instances as the server sent them. */
export const instanceList = z.object({
  items: z.array(z.unknown()).default([]),
  pagination: z.object({ nextPageToken: text }).nullish(),
})

/** `WatchInstancesResponse` */
export const instanceWatchMessage = z.object({
  type: z
    .enum(['TYPE_UNSPECIFIED', 'RESET', 'ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'LEFT'])
    .default('TYPE_UNSPECIFIED'),
  /** As the server sent it. */
  instance: z.unknown().optional(),
  resumeToken: text,
})

/** One change of the fleet. */
export type InstanceWatchMessage = z.output<typeof instanceWatchMessage>

/** `Explanation` */
export const explanation = z.object({
  instance: instanceMessage,
  configuration: z.array(z.string()).default([]),
  pending: z.array(z.string()).default([]),
  transitions: z.array(z.object({ time: text, from: text, to: text, event: text, cause: text })).default([]),
  leading: z.boolean().default(false),
  leader: text,
})

/** Why an instance is in the state it is in. */
export type ExplanationMessage = z.output<typeof explanation>
