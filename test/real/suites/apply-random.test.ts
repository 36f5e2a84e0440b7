import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type ApiServer, startApiServer } from '../../../playground/apiserver/server.js'
import { Wire } from '../../conformance/apiserver/wire.js'
import { identityOf } from '../../conformance/credentials.js'
import { eventually } from '../probe.js'
import { commands, send } from '../random-writes/commands.js'
import { rigDefinition } from '../random-writes/rigs.js'
import { seen } from '../random-writes/seen.js'
import { type Subject, subjects } from '../random-writes/subject.js'

/** The same in every run of CI; another one, and more runs, by hand: see test/real/README.md. */
const seed = Number(process.env.KAIRSHIP_RANDOM_SEED ?? 20_261_121)
const runs = Number(process.env.KAIRSHIP_RANDOM_RUNS ?? 60)

/** Random writes, sent alike to kube-apiserver and to the embedded server, must be answered alike. */
describe(`random writes, seed ${seed}`, () => {
  const namespace = `random-${randomBytes(3).toString('hex')}`
  const { host } = inject('stack')
  const real = new Wire(host.url, host.ca, host)
  let embedded: Wire
  let server: ApiServer
  let objects = 0

  beforeAll(async () => {
    server = await startApiServer({ name: 'random' })
    const kubeconfig = await server.kubeconfig({ name: 'kubernetes-admin', groups: ['system:masters'] })
    embedded = new Wire(server.url, server.certificateAuthority, identityOf(kubeconfig))
    for (const wire of [real, embedded]) {
      await wire.post('/api/v1/namespaces', { metadata: { name: namespace } })
      await wire.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', rigDefinition)
      for (const { kind, path } of subjects)
        await eventually(async () => (await wire.get(path(namespace))).status === 200, `${kind} served`)
    }
  })

  afterAll(async () => {
    await real.delete(
      `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${rigDefinition.metadata.name}`,
    )
    await real.delete(`/api/v1/namespaces/${namespace}`)
    await Promise.all([real.close(), embedded.close()])
    await server.close()
  })

  const compared = (subject: Subject): fc.IAsyncPropertyWithHooks<[ReturnType<typeof JSON.parse>]> =>
    fc.asyncProperty(commands(subject), async sequence => {
      objects += 1
      const name = `object-${objects}`
      const path = `${subject.path(namespace)}/${name}`
      const versions = new Map<Wire, string>()
      for (const command of sequence) {
        const answers = await Promise.all(
          [real, embedded].map(async wire => {
            const answer = seen(await send(wire, subject, namespace, name, command), name)
            const { body } = await wire.get(path)
            const version: string = body.metadata?.resourceVersion ?? 'absent'
            const stored = {
              changed: versions.get(wire) !== version,
              ...seen({ status: 0, headers: {}, body }, name),
            }
            versions.set(wire, version)
            return { answer, stored }
          }),
        )
        expect(answers[1]).toEqual(answers[0])
      }
    })

  it.each(subjects)(
    'to one $kind by several managers get the same answers and store the same object',
    async subject => {
      await fc.assert(compared(subject), { seed, numRuns: runs, interruptAfterTimeLimit: 600_000 })
    },
    900_000,
  )
})
