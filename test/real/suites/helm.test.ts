import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { comparable } from '../../http/proxy/comparable.js'
import { type Run, runKubectl } from '../../scenarios/support/kubectl.js'
import { programPath } from '../build.js'
import { type RealProxy, startRealProxy } from '../proxy.js'
import { sourceFolder } from '../repository.js'

/**
 * Less Helm's own times, which are words; it tells resources by kind, in no particular order. Its client sometimes logs that
 * Helm itself ended a watch ("context canceled" is said by the client alone): seen once, on a busy machine.
 */
const comparableOfHelm = (text: string): string =>
  comparable(text)
    .replaceAll(
      /^I\d{4} .*reflector\.go:\d+\] "Warning: watch ended with error" .*context canceled.*\n/gm,
      '',
    )
    .replace(/(?<=^RESOURCES:\n)(==> [\s\S]*?)(?=\n+TEST SUITE)/m, kinds =>
      kinds
        .split(/\n+(?===> )/)
        .sort()
        .join('\n'),
    )
    .replaceAll(/[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}/g, 'TIME')

/** Helm's whole life of a release: discovery, hooks, lookups, server-side apply, Secrets, and waiting by watches. */
describe('Helm through the proxy', () => {
  const stack = inject('stack')
  const chart = join(sourceFolder, 'helm', 'shop')
  let proxy: RealProxy
  let home: string

  beforeAll(async () => {
    proxy = await startRealProxy(stack, 'helm')
    home = mkdtempSync(join(tmpdir(), 'kairship-helm-'))
    // Of a namespace that is there the chart says so: it must be there both times.
    await run('kubectl', proxy.direct, 'create namespace helm')
  })
  afterAll(async () => {
    await proxy?.close()
    rmSync(home, { recursive: true, force: true })
  })

  const run = (program: string, kubeconfig: string, line: string): Promise<Run> =>
    runKubectl(programPath(program), [...line.split(' '), '--namespace', 'helm'], { kubeconfig, home })

  /** @returns what each command said, as it can be compared */
  async function play(kubeconfig: string, lines: readonly string[]): Promise<string[]> {
    const story: string[] = []
    for (const line of lines) {
      const { code, stdout, stderr } = await run('helm', kubeconfig, line.replace(/^! /, ''))
      const told = `$ helm ${line} → ${code}\n${comparableOfHelm(stdout)}${comparableOfHelm(stderr)}`
      expect(code === 0, told).toBe(!line.startsWith('! '))
      story.push(told)
    }
    return story
  }

  const life = (member: string): readonly string[] => [
    `install shop ${chart} --set member=${member} --dry-run=server`,
    `! install shop ${chart}`,
    `install shop ${chart} --set member=${member} --wait --timeout 180s`,
    `! install shop ${chart} --set member=${member}`,
    'list',
    'status shop',
    'get values shop',
    'get manifest shop',
    'get hooks shop',
    `upgrade shop ${chart} --set member=${member},colour=green --wait --timeout 180s`,
    `upgrade shop ${chart} --set member=${member},colour=blue --dry-run=server`,
    'history shop',
    'rollback shop 1 --wait --timeout 180s',
    'history shop --output json',
    'get values shop --output json',
    'uninstall shop --wait --timeout 180s',
    'list',
    '! status shop',
  ]

  it('prints the same as directly, from install to uninstall', async () => {
    const lines = life(proxy.member)
    const direct = await play(proxy.direct, lines)
    expect(await play(proxy.through, lines)).toEqual(direct)
  })

  it('an upgrade through the proxy changes the object in the instance and in the member', async () => {
    const words = `shop ${chart} --set member=${proxy.member},colour=green,runs=true`
    await play(proxy.through, [`upgrade --install ${words}`])
    const settings = await run('kubectl', proxy.through, 'get configmap settings --output json')
    expect(JSON.parse(settings.stdout).data).toEqual({
      colour: 'green',
      namespace: 'Active',
      servesKarmada: 'true',
    })
    const runs = 'wait --for=jsonpath={.status.readyReplicas}=1 deployment/shop --timeout=180s'
    const ready = await run('kubectl', proxy.through, runs)
    expect(ready.code, ready.stderr).toBe(0)
    const inMember = await run('kubectl', proxy.throughToMember, 'get deployment shop --output json')
    expect(JSON.parse(inMember.stdout).spec.template.metadata.annotations).toEqual({ colour: 'green' })
    await play(proxy.through, ['uninstall shop --wait --timeout 180s'])
    const left = await run('kubectl', proxy.through, 'get deployments,propagationpolicies --output name')
    expect(left.stdout).toBe('')
  })
})
