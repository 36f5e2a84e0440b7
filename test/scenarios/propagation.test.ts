import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubeConnector } from '../../actors/kube/connector.js'
import { type Playground, startPlayground } from '../../playground/fleet/fleet.js'
import { silent } from '../silent.js'
import { eventually } from './support/eventually.js'
import { kubectls, runKubectl } from './support/kubectl.js'

let playground: Playground
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'propagation-'))
  const connector = kubeConnector()
  playground = await startPlayground({ instances: 1, membersPerInstance: 2, connector, log: silent })
  const admin = { name: 'admin', groups: ['system:masters'] }
  const servers = [...playground.karmadas.values(), ...playground.members.values()]
  for (const { name, server } of servers)
    await writeFile(join(folder, name), await server.kubeconfig(admin), { mode: 0o600 })
})
afterAll(async () => {
  await playground.close()
  await rm(folder, { recursive: true })
})

const deployment = (name: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  replicas: 4
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: main, image: "nginx:1.27"}]}
`
const policy = (name: string) => `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: ${name}}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: ${name}}]
  placement: {replicaScheduling: {replicaSchedulingType: Divided}}
`
const override = (name: string) => `
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: ${name}}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: ${name}}]
  overrideRules:
  - targetCluster: {clusterNames: [eu-west-b]}
    overriders: {plaintext: [{path: /spec/template/spec/containers/0/image, operator: replace, value: "nginx:1.28"}]}
`

const found = kubectls()
if (found.length === 0) {
  it.skip('kubectl propagates: no kubectl found; name one or several in KAIRSHIP_KUBECTL', () => undefined)
}

describe.each(found)('%s on a control plane of the playground', kubectl => {
  const name = `web-${found.indexOf(kubectl)}`
  const both = ['eu-west-a', 'eu-west-b']

  const run = (cluster: string, args: string, input?: string) =>
    runKubectl(kubectl, args.split(' '), {
      kubeconfig: join(folder, cluster),
      home: join(folder, `home-${name}`),
      ...(input !== undefined && { input }),
    })
  async function ok(cluster: string, args: string, input?: string): Promise<string> {
    const { code, stdout, stderr } = await run(cluster, args, input)
    expect(code, `kubectl ${args}\n${stdout}${stderr}`).toBe(0)
    return stdout
  }
  /** A field of the Deployment in a cluster; '' where there is none. */
  const field = async (cluster: string, path: string) =>
    (await ok(cluster, `get deployment ${name} --ignore-not-found -o jsonpath={${path}}`)).trim()
  const replicas = () => Promise.all(both.map(cluster => field(cluster, '.spec.replicas')))

  it('runs a Deployment with a policy in both members and waits for its rollout', async () => {
    await ok('eu-west', 'apply -f -', `${deployment(name)}---${policy(name)}`)
    await ok('eu-west', `rollout status deployment/${name} --timeout=60s`)
    expect(await replicas()).toEqual(['2', '2'])
    const pods = await ok('eu-west-a', `get pods -l app=${name} -o jsonpath={.items[*].status.phase}`)
    expect(pods.trim()).toBe('Running Running')
    const binding = await ok('eu-west', `get rb ${name}-deployment`)
    expect(binding).toMatch(/SCHEDULED\s+FULLYAPPLIED/)
    expect(binding).toMatch(/True\s+True/)
  })

  it('follows kubectl scale', async () => {
    await ok('eu-west', `scale deployment ${name} --replicas=6`)
    await eventually('three replicas in each', async () => (await replicas()).every(count => count === '3'))
  })

  it('overrides one member', async () => {
    const image = '.spec.template.spec.containers[0].image'
    await ok('eu-west', 'apply -f -', override(name))
    await eventually(
      'the image in the second member',
      async () => (await field('eu-west-b', image)) === 'nginx:1.28',
    )
    expect(await field('eu-west-a', image)).toBe('nginx:1.27')
  })

  it('keeps members unchanged when the policy is deleted, and cleans them when the Deployment is deleted', async () => {
    await ok('eu-west', `delete propagationpolicy ${name}`)
    expect(await replicas()).toEqual(['3', '3'])
    await ok('eu-west', `delete deployment ${name}`)
    await eventually('it to be gone from both', async () => (await replicas()).every(count => count === ''))
    await eventually('the works to be gone', async () => {
      const works = await ok('eu-west', 'get works -A -o name')
      return !works.includes(name)
    })
  })
})
