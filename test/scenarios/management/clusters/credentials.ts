import { describe, expect, it } from 'vitest'
import { PEDIA_CLUSTERS } from '../../../../manifests/pedia-cluster.js'
import { eventually } from '../../support/eventually.js'
import { hostUser } from '../../support/host-user.js'
import { type ClusterWorld, namesOf } from './cluster-world.js'

/** Kubeconfigs that are refused, and those of Container Management. */
export function credentialCases(clusters: ClusterWorld): void {
  const { world } = clusters
  describe('an unusable kubeconfig', () => {
    const refused = async (text: string) => {
      const { json, text: said } = await world.calls.both('joinCluster', {
        ...clusters.named('bad'),
        kubeconfig: text,
      })
      expect(json.code, said).toBe(3)
      return said
    }

    it('is refused by field, without quoting it', async () => {
      expect(await refused('secret: [')).toContain('kubeconfig')
      const command = clusters.changed(({ users: [one] }) => {
        one.user = { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 's3cret' } }
      })
      const said = await refused(command)
      expect(said).toContain('exec and auth-provider are not allowed')
      expect(said).not.toContain('s3cret')
      const file = clusters.changed(({ users: [one] }) => {
        one.user = { 'client-certificate': '/etc/s3cret', 'client-key': '/etc/shadow' }
      })
      expect(await refused(file)).toMatch(/^kubeconfig: .* names a local file/)
      const otherName = clusters.changed(({ clusters: [{ cluster }] }) => {
        cluster['tls-server-name'] = 'elsewhere'
      })
      expect(await refused(otherName)).toContain('tls-server-name')
      expect(await refused(`# ${'x'.repeat(300_000)}\n${clusters.kubeconfig}`)).toContain(
        'larger than 256 KiB',
      )
    })

    it('is refused when its server does not answer, or does not accept its credential', async () => {
      const away = clusters.changed(({ clusters: [{ cluster }] }) => {
        cluster.server = 'https://127.0.0.1:1'
      })
      const nobody = await clusters.join('away', { kubeconfig: away })
      expect([nobody.json.code, nobody.text]).toEqual([14, expect.stringContaining('ECONNREFUSED')])
      const wrongToken = clusters.changed(({ users: [one] }) => {
        one.user = { token: 's3cret' }
      })
      const foreign = await clusters.join('foreign', { kubeconfig: wrongToken })
      expect([foreign.json.code, foreign.text]).toEqual([
        9,
        expect.stringContaining('cluster foreign does not accept the credential'),
      ])
      expect(JSON.stringify([foreign, world.log()])).not.toContain('s3cret')
      expect(await clusters.secret('away')).toBeUndefined()
    })
  })

  describe('the clusters that Container Management knows', () => {
    it('are listed without those of instances, and can join by name', async () => {
      const host = world.world.playground.host.local
      await world.create(
        host,
        PEDIA_CLUSTERS,
        {
          apiVersion: 'cluster.clusterpedia.io/v1alpha2',
          kind: 'PediaCluster',
          metadata: { name: 'candidate', labels: { of: 'tests' } },
          spec: { kubeconfig: Buffer.from(clusters.kubeconfig).toString('base64'), syncResources: [] },
        },
        '',
      )
      const list = async (more: object = {}) =>
        world.calls.read('listClusters', { instance: world.instance, ...more })
      await eventually('it is reached', async () => namesOf(await list()).includes('candidate'))
      const found = await list({ labelSelector: 'of=tests' })
      expect(found.items).toMatchObject([
        {
          metadata: { name: 'candidate', annotations: {} },
          status: { phase: 'RUNNING' },
          spec: { managedBy: '' },
        },
      ])
      expect(JSON.stringify(await list({ allCluster: true }))).not.toContain(`k-${world.instance}`)
      expect((await clusters.join('candidate', { kubeconfig: '' })).text).toBe('{}')
      await clusters.running('candidate')
      expect(namesOf(await list())).toEqual([])
      expect((await list({ allCluster: true })).items).toMatchObject([
        { spec: { managedBy: world.instance } },
      ])
      expect((await clusters.leave('candidate')).ok).toBe(true)
      expect((await clusters.join('unknown', { kubeconfig: '' })).json.code).toBe(5)
      expect((await clusters.join(`k-${world.instance}`, { kubeconfig: '' })).json.code).toBe(5)
      await world.remove(host, PEDIA_CLUSTERS, { name: 'candidate' })
    })

    it('join by name only for a caller who may use them, and show their instance only to one who may reach it', async () => {
      const { host } = world.world.playground
      const token = await hostUser(host, 'lists-candidates', {
        'instances/clusters': ['create'],
        clusters: ['list'],
      })
      const caller = world.calls.as(token)
      try {
        const join = await caller.both('joinCluster', { ...clusters.named('candidate'), kubeconfig: '' })
        expect([join.json.code, join.text]).toEqual([
          7,
          expect.stringContaining('cannot use resource "clusters"'),
        ])
        const ofInstance = await caller.both('listClusters', { instance: world.instance })
        expect([ofInstance.json.code, ofInstance.text]).toEqual([
          7,
          expect.stringContaining('cannot get resource "instances/proxy"'),
        ])
        expect((await caller.both('listClusters', {})).ok).toBe(true)
      } finally {
        caller.close()
      }
    })
  })
}
