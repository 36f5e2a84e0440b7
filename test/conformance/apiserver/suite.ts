import { afterAll, beforeAll, describe, it } from 'vitest'
import { waitFor } from '../../patience.js'
import { Bench, type Group } from './behaviour.js'
import { groups } from './groups/index.js'
import type { Target } from './target.js'

/** Behaviours in which a server may differ from the real one: claim → why. */
export type Exceptions = Readonly<Record<string, string>>

/**
 * Declares the suite of Kubernetes API behaviours that our code relies on. The real kube-apiserver is the truth: the same
 * rows run against it and against the embedded server.
 * @param open brings the server up, or connects to it; called once
 * @param exceptions claims that are not checked on this server, each with its reason; an unknown claim is an error
 */
export function apiServerConformance(open: () => Promise<Target>, exceptions: Exceptions = {}): void {
  conformance('a Kubernetes API server', groups, open, exceptions)
}

/** Declares groups of behaviours of one server. */
export function conformance(
  title: string,
  all: readonly Group[],
  open: () => Promise<Target>,
  exceptions: Exceptions,
): void {
  const claims = new Set(all.flatMap(({ behaviours }) => behaviours.map(({ claim }) => claim)))
  for (const claim of Object.keys(exceptions))
    if (!claims.has(claim)) throw new Error(`an exception names no behaviour of the suite: ${claim}`)

  describe(title, () => {
    let target: Target
    beforeAll(async () => {
      target = await open()
    })
    afterAll(() => target?.close())
    for (const group of all) declare(group, () => target, exceptions)
  })
}

function declare(group: Group, target: () => Target, exceptions: Exceptions): void {
  describe(group.name, () => {
    let bench: Bench
    beforeAll(async () => {
      bench = new Bench(target(), group.name)
      await bench.made('/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: bench.namespace },
      })
      const { ownConfigMap } = target()
      // Before anything is looked at: a watch would tell of it.
      if (ownConfigMap)
        await waitFor(async () => bench.ok(await bench.admin.get(bench.core('configmaps', ownConfigMap))))
      await group.prepare?.(bench)
    })
    afterAll(async () => {
      await bench.admin.delete(`/api/v1/namespaces/${bench.namespace}`)
      await bench.close()
    })
    for (const { claim, check } of group.behaviours) {
      const reason = exceptions[claim]
      it.skipIf(reason !== undefined)(reason === undefined ? claim : `${claim} (excepted: ${reason})`, () =>
        check(bench),
      )
    }
  })
}
