import { expect, it } from 'vitest'
import { ExitCode } from '../../../cli/exit-code.js'
import { rollbackWorkload } from '../../../cli/objects/rollback.js'
import { type Config, defaults } from '../../../config.js'
import { asking } from '../scripted-client.js'

const path = '/apis/kairship.io/v1alpha1/instances/eu/namespaces/shop/deployments/web'
const config = (given: Partial<Config> = {}): Config => ({ ...defaults('rollback'), ...given })

const current = {
  ...{ id: 'cc', current: true, images: ['web:3'], creationTimestamp: '61000', changeCause: 'three' },
  clusters: [{ cluster: 'eu-a', revision: '3', replicas: 2 }, { cluster: 'eu-b' }],
}
const before = {
  id: 'bb',
  images: ['web:2'],
  creationTimestamp: '31000',
  clusters: [{ cluster: 'eu-a', replicas: 0 }],
}
const oldest = { id: 'aa', images: ['web:1'], creationTimestamp: '1000', refusal: 'an override made it' }

/** A Kairship with these revisions of one Deployment. */
function having(items: readonly object[], unread: readonly object[] = []) {
  const posted: unknown[] = []
  const answers = asking({
    get: async asked => {
      expect(asked).toBe(`${path}/revisions`)
      return { items, unread }
    },
    post: async (asked, body) => {
      posted.push([asked, body])
      return { deployment: { metadata: { name: 'web', namespace: 'shop' } } }
    },
  })
  const [printed, notes]: [string[], string[]] = [[], []]
  const out = (text: string): void => void printed.push(text)
  const err = (text: string): void => void notes.push(text)
  return { ...answers, out, err, posted, printed: () => printed.join(''), notes: () => notes.join('') }
}
const words = ['eu', 'deployment', 'shop/web'] as const

it('rolls back to the revision before', async () => {
  const it = having([current, before, oldest])
  expect(await rollbackWorkload(it, config(), words)).toBe(ExitCode.ok)
  expect(it.posted).toEqual([[`${path}:rollback`, { revision: 'bb' }]])
  expect(it.printed()).toBe('deployment.apps/web rolled back to bb\n')
})

it('passes over a revision that would be refused, unless all are', async () => {
  const some = having([current, oldest, before])
  await rollbackWorkload(some, config(), words)
  const none = having([current, oldest])
  await rollbackWorkload(none, config(), words)
  expect([some.posted, none.posted]).toMatchObject([
    [[expect.anything(), { revision: 'bb' }]],
    [[expect.anything(), { revision: 'aa' }]],
  ])
})

it('names no revision by itself where a cluster with an earlier one does not know it, and takes --to', async () => {
  const made = {
    ...{ id: 'ee', images: ['evil:1'], creationTimestamp: '59000' },
    clusters: [{ cluster: 'eu-b' }],
  }
  const it = having([current, made, before])
  await expect(rollbackWorkload(it, config(), words)).rejects.toMatchObject({
    exitCode: ExitCode.failed,
    message:
      'clusters differ in what Deployment shop/web was before: its newest earlier revision ee is not known in eu-a. Look at --list -o json, and name one with --to',
  })
  expect(it.posted).toEqual([])
  await rollbackWorkload(it, config({ to: 'bb' }), words)
  expect(it.posted).toMatchObject([[`${path}:rollback`, { revision: 'bb' }]])
})

it('takes a revision that a cluster without earlier ones, or with refused ones only, does not know', async () => {
  const newcomer = { ...current, clusters: [...current.clusters, { cluster: 'eu-c' }] }
  const altered = { ...oldest, clusters: [{ cluster: 'eu-d' }] }
  const it = having([newcomer, before, altered])
  await rollbackWorkload(it, config(), words)
  expect(it.posted).toMatchObject([[`${path}:rollback`, { revision: 'bb' }]])
})

it('rolls back to the revision of --to, and says when it is the present one', async () => {
  const it = having([current, before, oldest])
  await rollbackWorkload(it, config({ to: 'aa', output: 'name' }), ['eu', 'deploy/shop/web'])
  await rollbackWorkload(it, config({ to: 'cc' }), words)
  expect(it.posted).toMatchObject([
    [`${path}:rollback`, { revision: 'aa' }],
    [`${path}:rollback`, { revision: 'cc' }],
  ])
  expect(it.printed()).toBe('deployment.apps/web\ndeployment.apps/web is at revision cc already\n')
})

it('lists revisions, names why one is refused and which cluster was not read, and changes nothing', async () => {
  const it = having([current, before, oldest], [{ cluster: 'eu-c', message: 'is cut off' }])
  expect(await rollbackWorkload(it, config({ list: true }), words)).toBe(ExitCode.ok)
  expect(it.printed()).toBe(`\
ID   STATE     AGE   IMAGES   PODS           CAUSE
cc   current   30s   web:3    eu-a=2, eu-b   three
bb   earlier   60s   web:2    eu-a=0         -
aa   refused   90s   web:1                   -

aa: an override made it
`)
  expect(it.notes()).toBe('Not looked at: eu-c: is cut off\n')
  expect(it.posted).toEqual([])
})

it('fails where there is no earlier revision, and for a kind without revisions', async () => {
  await expect(rollbackWorkload(having([current]), config(), words)).rejects.toMatchObject({
    exitCode: ExitCode.notFound,
    message: 'no cluster remembers an earlier revision of Deployment shop/web',
  })
  await expect(rollbackWorkload(having([]), config(), ['eu', 'job', 'shop/web'])).rejects.toMatchObject({
    exitCode: ExitCode.usage,
    message: 'a Job has no revisions: name one of Deployment, StatefulSet, DaemonSet',
  })
})
