import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ControllerManager, startControllerManager } from '../../../actors/controller-manager.js'
import { connectKube } from '../../../actors/kube/connection.js'
import { kubeConnector } from '../../../actors/kube/connector.js'
import { parseKubeconfig } from '../../../actors/kube/kubeconfig.js'
import { doorKubeconfig } from '../../../cli/door-kubeconfig.js'
import { knobs } from '../../../config.js'
import { type Api, startApi } from '../../../http/server.js'
import { type Playground, startPlayground } from '../../../playground/fleet.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { waitFor } from '../../patience.js'
import { curl } from '../fakes/listening.js'
import { fakeLog } from '../fakes/log.js'

/** The kubectl on PATH; without one there is nothing to ask with. */
const kubectlPath = (process.env.PATH ?? '')
  .split(delimiter)
  .map(folder => join(folder, 'kubectl'))
  .find(path => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })

interface Run {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

describe.skipIf(!kubectlPath)('kubectl through Kairship, against the playground', () => {
  const name = 'eu-west'
  let folder: string
  let playground: Playground
  let manager: ControllerManager
  let host: KubeApi
  let api: Api

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kairship-door-'))
    const log = fakeLog()
    playground = await startPlayground({
      instances: 1,
      membersPerInstance: 1,
      connector: kubeConnector(),
      log,
      onProgress: () => undefined,
    })
    const connect = (kubeconfig: string) => connectKube(parseKubeconfig(kubeconfig, { local: false }))
    const meter = { count: () => undefined, gauge: () => undefined, observe: () => undefined }
    const setting = Object.fromEntries(Object.entries(knobs).map(([key, knob]) => [key, knob.default]))
    manager = startControllerManager({
      host: await connect(playground.kubeconfigs.controllerManager),
      connector: kubeConnector(),
      identity: 'test',
      contend: true,
      config: setting as never,
      log,
      meter,
    })
    host = await connect(playground.kubeconfigs.apiserver)
    api = await startApi({
      fleet: manager.fleet,
      host,
      log,
      meter,
      listen: '127.0.0.1:0',
      grpcListen: '127.0.0.1:0',
      clientCertificateAuthority: playground.host.certificateAuthority,
    })
    await waitFor(() => expect(manager.fleet.get(name)?.state).toBe('ready'))
    // The RBAC of people is made by an effect of its own, which readiness does not wait for.
    const namespaces = `/apis/kairship.io/v1alpha1/instances/${name}/proxy/api/v1/namespaces`
    for (const token of Object.values(playground.tokens))
      await waitFor(async () => expect((await curl(api, namespaces, { token })).status).toBe(200))
    for (const [person, token] of Object.entries(playground.tokens)) {
      const answer = await curl(api, `/apis/kairship.io/v1alpha1/instances/${name}/kubeconfig`, { token })
      expect(answer.status, answer.text).toBe(200)
      const own = doorKubeconfig(JSON.parse(answer.text).kubeConfigString, {
        server: api.url,
        token,
        ...(api.certificateAuthority && { certificateAuthorityData: api.certificateAuthority }),
      })
      await writeFile(join(folder, person), own, { mode: 0o600 })
    }
    const direct = await playground.karmadas.get(name)!.server.kubeconfig({ name: 'admin@playground' })
    await writeFile(join(folder, 'direct'), direct, { mode: 0o600 })
  })

  afterAll(async () => {
    await api?.close()
    await manager?.stop()
    await host?.close()
    await playground?.close()
    await rm(folder, { recursive: true })
  })

  function kubectl(as: 'admin' | 'viewer' | 'direct', words: string, input = ''): Promise<Run> {
    const cache = join(folder, `cache-${as}`)
    const args = ['--kubeconfig', join(folder, as), '--cache-dir', cache, ...words.split(' ')]
    return new Promise(resolve => {
      const child = execFile(kubectlPath!, args, { timeout: 100_000 }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
      )
      child.stdin?.end(input)
    })
  }

  const map = (data: string) => `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {a: ${data}}
`

  it('tells a caller who it is there', async () => {
    const review = 'apiVersion: authentication.k8s.io/v1\nkind: SelfSubjectReview\n'
    const { stdout, stderr } = await kubectl(
      'viewer',
      'create --validate=false -f - -o jsonpath={.status.userInfo.username}',
      review,
    )
    expect([stdout, stderr]).toEqual(['viewer@playground', ''])
  })

  it.each([
    'get clusters.cluster.karmada.io -o name',
    'get namespaces -o name',
    'api-resources --sort-by=name -o name',
    'explain configmap.data',
    'version -o json',
  ])('%s says what it says without Kairship in between', async words => {
    const [through, direct] = [await kubectl('admin', words), await kubectl('direct', words)]
    expect(through).toEqual(direct)
    expect(through.code).toBe(0)
  })

  it('applies, diffs, gets, patches, waits for and deletes', async () => {
    const run = async (words: string, input?: string) => {
      const { stdout, stderr } = await kubectl('admin', words, input)
      return `${stdout}${stderr}`.trim()
    }
    expect(await run('apply -f -', map('one'))).toBe('configmap/settings created')
    expect(await run('apply -f -', map('one'))).toBe('configmap/settings unchanged')
    expect(await run('apply --server-side --force-conflicts -f -', map('two'))).toBe(
      'configmap/settings serverside-applied',
    )
    expect(await run('get configmap settings -o jsonpath={.data.a}')).toBe('two')
    expect(await run('diff -f -', map('three'))).toMatch(/-\s+a: two\n\+\s+a: three/)
    expect(await run('patch configmap settings --type=merge -p {"data":{"b":"x"}}')).toBe(
      'configmap/settings patched',
    )
    expect(await run('wait --for=jsonpath={.data.b}=x configmap/settings --timeout=90s')).toBe(
      'configmap/settings condition met',
    )
    expect(await run('delete configmap settings')).toMatch(/^configmap "settings" deleted/)
    expect(await run('get configmap settings')).toBe(
      'Error from server (NotFound): configmaps "settings" not found',
    )
  })

  it('is told no by Kairship or by the instance, in words that kubectl shows', async () => {
    const create = await kubectl('viewer', 'create namespace x')
    expect(create.stderr).toMatch(/User "viewer@playground" cannot create resource "instances\/proxy"/)
    const secrets = await kubectl('viewer', 'get secrets')
    expect(secrets.stderr).toMatch(/User "viewer@playground" cannot list resource "secrets"/)
    const other = await kubectl('admin', 'get namespaces --as=root')
    expect(other.stderr).toContain('impersonation is not passed on')
  })
})
