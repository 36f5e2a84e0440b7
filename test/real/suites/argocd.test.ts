import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Run, runKubectl } from '../../scenarios/support/kubectl.js'
import { programPath } from '../build.js'
import { runProgram } from '../program.js'
import { type RealProxy, startRealProxy } from '../proxy.js'
import { sourceFolder } from '../repository.js'

/** What became of a Karmada that was brought to three revisions of a shop, the last of which has its settings only. */
interface Finding {
  readonly types: number
  readonly revisions: readonly (readonly string[])[]
}

/** It lists and watches every type there is, compares, tries out, applies and prunes. */
describe('the engine of Argo CD through the proxy', () => {
  const stack = inject('stack')
  const revisions = ['1', '2', '3'].map(revision => join(sourceFolder, 'argocd', 'shop', revision))
  let proxy: RealProxy
  let home: string

  beforeAll(async () => {
    proxy = await startRealProxy(stack, 'argocd')
    home = mkdtempSync(join(tmpdir(), 'kairship-argocd-'))
    await kubectl(proxy.direct, 'create namespace argocd')
  })
  afterAll(async () => {
    await proxy?.close()
    rmSync(home, { recursive: true, force: true })
  })

  async function kubectl(kubeconfig: string, line: string): Promise<Run> {
    const run = await runKubectl(programPath('kubectl'), line.split(' '), { kubeconfig, home })
    expect(run.code, `kubectl ${line}\n${run.stderr}`).toBe(0)
    return run
  }

  async function sync(kubeconfig: string, ...flags: string[]): Promise<Finding> {
    const asked = ['--kubeconfig', kubeconfig, '--namespace', 'argocd', ...flags, ...revisions]
    const { code, stdout, stderr } = await runProgram('argocd-engine', asked)
    expect(code, stderr).toBe(0)
    const settings = await kubectl(proxy.direct, 'get configmap settings --namespace argocd --output json')
    expect(JSON.parse(settings.stdout).data).toEqual({ colour: 'green' })
    await kubectl(kubeconfig, 'delete configmap settings --namespace argocd')
    return JSON.parse(stdout) as Finding
  }

  it.each([
    ['on the client', []],
    ['on the server', ['--server-side']],
  ])('applies %s, changes and prunes as without the proxy', async (_where, flags) => {
    const direct = await sync(proxy.direct, ...flags)
    const through = await sync(proxy.through, ...flags)
    expect(through.revisions).toEqual(direct.revisions)
    expect(through.types).toBeGreaterThan(10)
    const pruned = through.revisions[2]!.filter(line => line.includes('Pruned'))
    expect(pruned.map(line => line.split(' ')[0])).toEqual(['Deployment/shop', 'PropagationPolicy/shop'])
  })
})
