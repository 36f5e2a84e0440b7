import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Member, startMember } from '../../playground/member/member.js'
import { waitFor } from '../patience.js'
import { silent } from '../silent.js'
import { kubectls, runKubectl } from './support/kubectl.js'

let member: Member
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kairship-workloads-'))
  member = await startMember({ name: 'member', log: silent })
  const admin = await member.server.kubeconfig({ name: 'admin', groups: ['system:masters'] })
  writeFileSync(join(folder, 'kubeconfig'), admin)
})
afterAll(async () => {
  await member.close()
  rmSync(folder, { recursive: true })
})

const workload = (kind: string, name: string, spec: object = {}) =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name },
    spec: {
      ...spec,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'c', image: 'nginx:1' }] },
      },
    },
  })

describe.skipIf(kubectls().length === 0).each(kubectls())('a member, used through %s', kubectl => {
  const run = async (words: string, input = '') => {
    const options = { kubeconfig: join(folder, 'kubeconfig'), home: folder, input }
    const { code, stdout, stderr } = await runKubectl(kubectl, words.split(' '), options)
    expect([code, stderr]).toEqual([0, ''])
    return stdout
  }

  it.each([
    ['Deployment', { replicas: 3 }, /deployment "r-deployment" successfully rolled out/],
    [
      'StatefulSet',
      { replicas: 3, serviceName: 'x' },
      /statefulset rolling update complete 3 pods|partitioned roll out complete|roll out complete/,
    ],
    ['DaemonSet', {}, /daemon set "r-daemonset" successfully rolled out/],
  ])('reports the rollout of a %s to its end, and again after a change', async (kind, spec, end) => {
    const name = `r-${kind.toLowerCase()}`
    await run('apply -f -', workload(kind, name, spec))
    expect(await run(`rollout status ${kind}/${name}`)).toMatch(end)
    await run(`set image ${kind}/${name} c=nginx:2`)
    expect(await run(`rollout status ${kind}/${name}`)).toMatch(end)
    expect(await run(`rollout history ${kind}/${name}`)).toMatch(/\n1 .*\n2 /)
    await run(`rollout undo ${kind}/${name}`)
    await run(`rollout status ${kind}/${name}`)
    const image = '-o jsonpath={.items[*].spec.containers[0].image}'
    await waitFor(async () => expect(await run(`get pods -l app=${name} ${image}`)).not.toMatch('nginx:2'))
  })

  it('runs a Job to completion, with the command’s output in its log', async () => {
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'greeting' },
      spec: {
        template: {
          spec: {
            restartPolicy: 'Never',
            containers: [{ name: 'c', image: 'busybox', command: ['sh', '-c', 'echo hello; echo world'] }],
          },
        },
      },
    }
    await run('apply -f -', JSON.stringify(job))
    await run('wait --for=condition=complete job/greeting --timeout=60s')
    expect(await run('logs job/greeting')).toBe('hello\nworld\n')
  })

  it('creates the Jobs of a CronJob at their times', async () => {
    const spec = {
      schedule: '@every 1s',
      jobTemplate: {
        spec: {
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'busybox' }] } },
        },
      },
    }
    const cron = { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'tick' }, spec }
    await run('apply -f -', JSON.stringify(cron))
    const last = '-o jsonpath={.status.lastSuccessfulTime}'
    await waitFor(async () => expect(await run(`get cronjobs.v1.batch tick ${last}`)).toMatch(/Z$/))
    await run('delete cronjobs.v1.batch tick')
  })

  it('reports why a pod fits on no node', async () => {
    await run(
      'apply -f -',
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'huge' },
        spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '99' } } }] },
      }),
    )
    await waitFor(async () => {
      expect(await run('describe pod huge')).toMatch(
        /FailedScheduling .* default-scheduler +0\/2 nodes are available: 2 Insufficient cpu/,
      )
    })
    expect(await run('get pod huge')).toMatch(/huge +0\/1 +Pending/)
  })

  it('drains a node and returns it to service', async () => {
    await run('apply -f -', workload('Deployment', 'moving', { replicas: 4 }))
    await run('rollout status deployment/moving')
    await run('cordon node-1')
    await run('delete pods -l app=moving --field-selector spec.nodeName=node-1')
    await run('rollout status deployment/moving')
    const nodes = await run('get pods -l app=moving -o jsonpath={.items[*].spec.nodeName}')
    expect(new Set(nodes.split(' '))).toEqual(new Set(['node-2']))
    await run('uncordon node-1')
  })
})
