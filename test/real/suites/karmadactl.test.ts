import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { read } from '../../../playground/client/write.js'
import { type Member, startMember } from '../../../playground/member/member.js'
import { conditionOf } from '../../../playground/objects/conditions.js'
import { NAMESPACES } from '../../../playground/objects/core-types.js'
import { eventually } from '../../playground/eventually.js'
import { PropagationWorld } from '../../playground/karmada/propagation-world.js'
import { silent } from '../../silent.js'
import { buildNamed, programPath } from '../build.js'

let world: PropagationWorld
let paris: Member
let folder: string
beforeAll(async () => {
  await buildNamed('karmadactl', line => console.log(line))
  folder = mkdtempSync(join(tmpdir(), 'kairship-karmadactl-'))
  world = await PropagationWorld.start(['lyon'])
  paris = await startMember({ name: 'paris', log: silent })
  const admin = { name: 'system:admin', groups: ['system:masters'] }
  writeFileSync(join(folder, 'karmada'), await world.karmada.server.kubeconfig(admin))
  writeFileSync(join(folder, 'paris'), await paris.server.kubeconfig(admin))
})
afterAll(async () => {
  await world.close()
  await paris.close()
  rmSync(folder, { recursive: true, force: true })
})

/** What the command prints. @throws Error with what it says, where it fails */
async function karmadactl(...args: readonly string[]): Promise<string> {
  const all = ['--kubeconfig', join(folder, 'karmada'), ...args]
  const { stdout } = await promisify(execFile)(programPath('karmadactl'), all, { timeout: 120_000 })
  return stdout
}
const isReady = async (name: string) =>
  conditionOf((await world.cluster(name))?.status?.conditions, 'Ready')?.status === 'True'

describe('karmadactl with the playground’s Karmada', () => {
  it('joins a member, which becomes ready', async () => {
    const said = await karmadactl('join', 'paris', '--cluster-kubeconfig', join(folder, 'paris'))
    expect(said).toContain('cluster(paris) is joined successfully')
    await eventually('paris to be ready', () => isReady('paris'))
    expect((await world.cluster('paris'))?.spec).toMatchObject({
      syncMode: 'Push',
      apiEndpoint: paris.server.url,
      secretRef: { namespace: 'karmada-cluster', name: 'paris' },
      impersonatorSecretRef: { namespace: 'karmada-cluster', name: 'paris-impersonator' },
    })
  })

  it('refuses to join it a second time', async () => {
    const second = karmadactl('join', 'paris', '--cluster-kubeconfig', join(folder, 'paris'))
    await expect(second).rejects.toThrow('has been registered')
  })

  it('reads the members through their proxies', async () => {
    const said = await eventually('both members to answer', async () => {
      const lines = await karmadactl('get', 'namespaces', '--operation-scope', 'members').catch(() => '')
      return ['lyon', 'paris'].every(name => lines.includes(name)) ? lines : undefined
    })
    expect(said).toMatch(/kube-system +paris +Active/)
  })

  it('cordons a member and lets it go again', async () => {
    const taints = async () =>
      (await world.cluster('paris'))?.spec.taints?.map(({ key, effect }) => `${key}:${effect}`)
    await karmadactl('cordon', 'paris')
    expect(await taints()).toEqual(['cluster.karmada.io/unschedulable:NoSchedule'])
    await karmadactl('uncordon', 'paris')
    expect(await taints()).toBeUndefined()
  })

  it('unjoins it, and leaves nothing in it', async () => {
    const { stdout: context } = await promisify(execFile)('sh', [
      '-c',
      `sed -n 's/^current-context: *//p' ${join(folder, 'paris')}`,
    ])
    const credentials = ['--cluster-kubeconfig', join(folder, 'paris'), '--cluster-context', context.trim()]
    await karmadactl('unjoin', 'paris', ...credentials)
    expect(await world.cluster('paris')).toBeUndefined()
    await eventually('its namespace in the member to go', async () => {
      return !(await read(paris.server.local, NAMESPACES, { name: 'karmada-cluster' }))
    })
  })
})
