import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { comparable } from '../../http/proxy/comparable.js'
import { memberScene, type Scene, scenes } from '../../http/proxy/scenes.js'
import { type Run, runKubectl } from '../../scenarios/support/kubectl.js'
import { programPath } from '../build.js'
import { runProgram } from '../program.js'
import { type RealProxy, startRealProxy } from '../proxy.js'
import { robot } from '../robot.js'

/** The proxy with the kubectl and client-go of the engines' own release, before a real Karmada with Clusterpedia. */
describe('the proxy on the real stack', () => {
  const stack = inject('stack')
  const kubectl = programPath('kubectl')
  let proxy: RealProxy
  let home: string
  let editor: string

  beforeAll(async () => {
    proxy = await startRealProxy(stack, 'proxy')
    home = mkdtempSync(join(tmpdir(), 'kairship-kubectl-'))
    editor = join(home, 'editor.sh')
    writeFileSync(editor, '#!/bin/sh\nsed -i "s/colour: red/colour: green/" "$1"\n')
    chmodSync(editor, 0o700)
  })
  afterAll(() => proxy?.close())

  const run = (kubeconfig: string, words: readonly string[], input?: string): Promise<Run> =>
    runKubectl(kubectl, words, {
      kubeconfig,
      home,
      env: { KUBE_EDITOR: editor },
      ...(input === undefined ? {} : { input }),
    })

  async function play(scene: Scene, kubeconfig: string): Promise<string[]> {
    const story: string[] = []
    for (const { words, input, ends } of scene.steps) {
      const { code, stdout, stderr } = await run(kubeconfig, words, input)
      const told = `$ kubectl ${words.join(' ')} → ${code}\n${comparable(stdout)}${comparable(stderr)}`
      if (ends !== 'either') expect(code === 0, told).toBe(ends === 'well')
      story.push(told)
    }
    return story
  }

  it('sends the user name and groups of the host to the instance', async () => {
    const { stdout } = await run(proxy.through, ['auth', 'whoami', '-o', 'json'])
    const { username, groups } = JSON.parse(stdout).status.userInfo
    expect([username, [...groups].sort()]).toEqual([robot.user, [...robot.groups].sort()])
  })

  it.each(scenes)('$what: prints the same as directly at Karmada', async scene => {
    const direct = await play(scene, proxy.direct)
    expect(await play(scene, proxy.through)).toEqual(direct)
  })

  it(`${memberScene.what}: prints the same as directly at Karmada`, async () => {
    const direct = await play(memberScene, proxy.directToMember)
    expect(await play(memberScene, proxy.throughToMember)).toEqual(direct)
  })

  it('returns each object of a list of many pages once', async () => {
    await proxy.karmada.must('POST', '/api/v1/namespaces', { metadata: { name: 'many' } })
    const path = '/api/v1/namespaces/many/configmaps'
    // Through the proxy: who wrote them is shown them, however far behind the index is.
    const writer = proxy.client()
    const fill = async (lane: number): Promise<void> => {
      for (let index = 0; index < 75; index++) {
        const { status } = await writer.ask('POST', path, {
          metadata: { name: `one-of-many-${lane}-${index}` },
        })
        expect(status).toBe(201)
      }
    }
    await Promise.all(Array.from({ length: 16 }, (_, lane) => fill(lane)))
    writer.close()
    const words = ['-n', 'many', 'get', 'configmaps', '-o', 'name', '--chunk-size=500']
    const [direct, through] = [await run(proxy.direct, words), await run(proxy.through, words)]
    expect(through).toEqual(direct)
    const names = through.stdout
      .trim()
      .split('\n')
      .filter(name => name.includes('one-of-many'))
    expect([names.length, new Set(names).size]).toEqual([1_200, 1_200])
    await proxy.karmada.must('DELETE', '/api/v1/namespaces/many')
  })

  it('a Deployment with a policy that is applied through the proxy runs in the member', async () => {
    const manifest = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: sent, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {app: sent}}
  template:
    metadata: {labels: {app: sent}}
    spec: {containers: [{name: main, image: sent}]}
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: sent, namespace: default}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: sent}]
  placement: {clusterAffinity: {clusterNames: [${proxy.member}]}}
`
    const ok = async (kubeconfig: string, ...words: string[]): Promise<void> => {
      const { code, stdout, stderr } = await run(kubeconfig, words, manifest)
      expect(code, `kubectl ${words.join(' ')}\n${stdout}${stderr}`).toBe(0)
    }
    await ok(proxy.through, 'apply', '-f', '-')
    await ok(
      proxy.through,
      'wait',
      '--for=jsonpath={.status.readyReplicas}=1',
      'deploy/sent',
      '--timeout=120s',
    )
    await ok(proxy.throughToMember, 'rollout', 'status', 'deploy/sent')
    await ok(proxy.through, 'delete', '-f', '-')
    await ok(proxy.throughToMember, 'wait', '--for=delete', 'deploy/sent', '--timeout=120s')
  })

  it('a GitOps engine discovers, maps, dry-runs, applies, reads back and prunes through the proxy', async () => {
    await run(proxy.direct, ['create', 'namespace', 'gitops'])
    const flags = ['gitops', '--through', proxy.through, '--namespace', 'gitops']
    const { code, stdout, stderr } = await runProgram('informer', flags)
    expect(code, stdout + stderr).toBe(0)
    const { steps, karmadaTypes } = JSON.parse(stdout)
    expect(karmadaTypes).toBeGreaterThan(10)
    expect(steps).toEqual([
      'ConfigMap/shop-settings created',
      'Deployment/shop created',
      'PropagationPolicy/shop created',
      'ConfigMap/shop-settings configured',
      'Deployment/shop unchanged',
      'PropagationPolicy/shop pruned',
      'ConfigMap/shop-settings pruned',
      'Deployment/shop pruned',
    ])
  })

  it('informers see the same through the proxy as directly, while connections are cut and versions expire', async () => {
    await run(proxy.direct, ['create', 'namespace', 'churn'])
    const sides = ['--direct', proxy.direct, '--through', proxy.through, '--namespace', 'churn']
    const seconds = process.env.KAIRSHIP_CHURN_SECONDS ?? '40'
    const { code, stdout, stderr } = await runProgram('informer', ['churn', ...sides, '--seconds', seconds])
    expect(code, stdout + stderr).toBe(0)
    const { views } = JSON.parse(stdout) as { views: { name: string; cuts: number; expired: number }[] }
    expect(views.every(({ cuts }) => cuts > 0)).toBe(true)
    expect(views.some(({ name, expired }) => name.startsWith('through') && expired > 0)).toBe(true)
  }, 3_600_000)
})
