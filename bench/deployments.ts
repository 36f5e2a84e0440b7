import { setTimeout as delay } from 'node:timers/promises'
import type { ApiClient } from '../test/real/api-client.js'

/** A Deployment of about 1.5 KB as stored, which nothing propagates: no policy names it. */
function deployment(name: string): unknown {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels: { app: name, tier: 'bench' } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [{ name: 'main', image: 'example.test/main:1', env: [{ name: 'A', value: '1' }] }],
        },
      },
    },
  }
}

export function deploymentName(index: number): string {
  return `d-${String(index).padStart(5, '0')}`
}

export function deploymentsPath(namespace: string): string {
  return `/apis/apps/v1/namespaces/${namespace}/deployments`
}

/** Connections that create at once: enough to keep an API server on two cores busy. */
const creators = 24
/** How often a creation that failed for a reason that passes is tried again. A repeated creation is harmless: 409. */
const attempts = 8

/** Makes a namespace hold so many Deployments. What is there already is left; progress is told with a count. */
export async function fill(
  client: ApiClient,
  namespace: string,
  size: number,
  say: (line: string) => void,
): Promise<void> {
  await create(client, '/api/v1/namespaces', { metadata: { name: namespace } })
  const there = await existing(client, namespace)
  const missing = Array.from({ length: size }, (_, index) => deploymentName(index)).filter(
    name => !there.has(name),
  )
  const began = performance.now()
  let created = 0
  const progress = (): void =>
    say(
      `${namespace}: ${there.size + created} of ${size} Deployments, ` +
        `${Math.round(created / ((performance.now() - began) / 1_000))}/s`,
    )
  const telling = setInterval(progress, 2_000)
  try {
    let next = 0
    await Promise.all(
      Array.from({ length: creators }, async () => {
        for (let name = missing[next++]; name !== undefined; name = missing[next++]) {
          await create(client, deploymentsPath(namespace), deployment(name))
          created += 1
        }
      }),
    )
  } finally {
    clearInterval(telling)
  }
  progress()
}

async function existing(client: ApiClient, namespace: string): Promise<ReadonlySet<string>> {
  // Of no object, kube-apiserver writes null for the list of metadata.
  const { items } = await client.must<{ items: { metadata: { name: string } }[] | null }>(
    'GET',
    deploymentsPath(namespace),
    undefined,
    { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' },
  )
  return new Set((items ?? []).map(({ metadata }) => metadata.name))
}

async function create(client: ApiClient, path: string, object: unknown): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { status, body } = await client.send('POST', path, object)
    if (status < 300 || status === 409) return
    if (attempt === attempts || (status !== 429 && status < 500))
      throw new Error(`POST ${path}: ${status} ${JSON.stringify(body).slice(0, 300)}`)
    await delay(attempt * 250)
  }
}

/**
 * How many Deployments of a namespace Clusterpedia's read API knows, without reading them.
 * @param prefix path of one cluster in the read API
 */
export async function counted(client: ApiClient, prefix: string, namespace: string): Promise<number> {
  const { status, body } = await client.send(
    'GET',
    `${prefix}${deploymentsPath(namespace)}?limit=1&withContinue=true&withRemainingCount=true`,
  )
  if (status !== 200) return 0
  const { items, metadata } = body as { items?: unknown[]; metadata?: { remainingItemCount?: number } }
  return (items?.length ?? 0) + (metadata?.remainingItemCount ?? 0)
}
