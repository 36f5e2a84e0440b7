import { expect } from 'vitest'
import { behaviour, configMap, deployment, type Group } from '../behaviour.js'

/** Dry run: everything happens but the writing. */
export const dryRun: Group = {
  name: 'dry-run',
  behaviours: [
    behaviour('a dry-run creation answers with the object and stores nothing', async k => {
      const name = k.name()
      const { status, body } = await k.admin.post(k.core('configmaps'), configMap(name), { dryRun: 'All' })
      expect(status).toBe(201)
      expect(body.metadata.uid).toEqual(expect.any(String))
      expect(body.metadata.resourceVersion).toBeUndefined()
      expect((await k.admin.get(k.core('configmaps', name))).status).toBe(404)
    }),
    behaviour('a dry-run creation answers with defaults', async k => {
      const { body } = await k.admin.post(k.apps('deployments'), deployment(k.name()), { dryRun: 'All' })
      expect(body.spec.revisionHistoryLimit).toBe(10)
    }),
    behaviour('a dry-run creation of a taken name is AlreadyExists', async k => {
      const { metadata } = await k.configMap()
      const { status } = await k.admin.post(k.core('configmaps'), configMap(metadata.name), { dryRun: 'All' })
      expect(status).toBe(409)
    }),
    behaviour('a dry-run creation is validated', async k => {
      const { status } = await k.admin.post(k.core('configmaps'), configMap('Not_A_Name'), { dryRun: 'All' })
      expect(status).toBe(422)
    }),
    behaviour('a dry-run replacement changes nothing', async k => {
      const made = await k.configMap()
      const path = k.core('configmaps', made.metadata.name)
      const { status, body } = await k.admin.put(path, { ...made, data: { a: '2' } }, { dryRun: 'All' })
      expect(status).toBe(200)
      expect(body.data).toEqual({ a: '2' })
      expect(k.ok(await k.admin.get(path))).toEqual(made)
    }),
    behaviour('a dry-run replacement of a stale version is a Conflict', async k => {
      const made = await k.configMap()
      const path = k.core('configmaps', made.metadata.name)
      k.ok(await k.admin.patch(path, 'merge', { data: { a: '2' } }))
      expect((await k.admin.put(path, made, { dryRun: 'All' })).status).toBe(409)
    }),
    behaviour('a dry-run patch changes nothing', async k => {
      const made = await k.configMap()
      const path = k.core('configmaps', made.metadata.name)
      const { body } = await k.admin.patch(path, 'merge', { data: { a: '2' } }, { dryRun: 'All' })
      expect(body.data).toEqual({ a: '2' })
      expect(k.ok(await k.admin.get(path))).toEqual(made)
    }),
    behaviour('a dry-run apply tells conflicts and changes nothing', async k => {
      const name = k.name()
      const path = k.core('configmaps', name)
      const made = k.ok(await k.admin.apply(path, 'one', configMap(name)))
      const other = await k.admin.apply(path, 'two', configMap(name, { data: { a: '2' } }), { dryRun: 'All' })
      expect(other.status).toBe(409)
      const same = await k.admin.apply(path, 'one', configMap(name, { data: { a: '2' } }), { dryRun: 'All' })
      expect(same.body.data).toEqual({ a: '2' })
      expect(k.ok(await k.admin.get(path))).toEqual(made)
    }),
    behaviour('a dry-run deletion deletes nothing', async k => {
      const made = await k.configMap()
      const path = k.core('configmaps', made.metadata.name)
      const { status } = await k.admin.delete(path, undefined, { dryRun: 'All' })
      expect(status).toBe(200)
      expect(k.ok(await k.admin.get(path))).toEqual(made)
    }),
    behaviour('a dry run can be asked for in DeleteOptions', async k => {
      const made = await k.configMap()
      const path = k.core('configmaps', made.metadata.name)
      await k.admin.delete(path, { apiVersion: 'v1', kind: 'DeleteOptions', dryRun: ['All'] })
      expect((await k.admin.get(path)).status).toBe(200)
    }),
    behaviour('a deletion with a body takes no option from the query', async k => {
      const options = { apiVersion: 'v1', kind: 'DeleteOptions' }
      const made = await k.configMap()
      const path = k.core('configmaps', made.metadata.name)
      const query = { dryRun: 'All', propagationPolicy: 'Nonsense', gracePeriodSeconds: 'x' }
      expect((await k.admin.delete(path, options, query)).status).toBe(200)
      expect((await k.admin.get(path)).status).toBe(404)
      const label = k.name()
      const other = await k.configMap({ metadata: { labels: { label } } })
      await k.admin.delete(k.core('configmaps'), options, {
        dryRun: 'All',
        labelSelector: `label=${label}`,
      })
      expect((await k.admin.get(k.core('configmaps', other.metadata.name))).status).toBe(404)
    }),
    behaviour('a deletion of many can be a dry run', async k => {
      const label = k.name()
      const { metadata } = await k.configMap({ metadata: { labels: { label } } })
      const query = { labelSelector: `label=${label}` }
      await k.admin.delete(k.core('configmaps'), undefined, { ...query, dryRun: 'All' })
      await k.admin.delete(k.core('configmaps'), { dryRun: ['All'] }, query)
      expect((await k.admin.get(k.core('configmaps', metadata.name))).status).toBe(200)
    }),
    behaviour('another value than All is Invalid for a deletion, wherever it is given', async k => {
      const { metadata } = await k.configMap()
      const path = k.core('configmaps', metadata.name)
      for (const answer of [
        await k.admin.delete(path, undefined, { dryRun: 'Some' }),
        await k.admin.delete(path, { dryRun: ['Some'] }),
      ]) {
        expect(answer.status).toBe(422)
        expect(answer.body.message).toContain('dryRun: Unsupported value: ["Some"]: supported values: "All"')
      }
      expect((await k.admin.get(path)).status).toBe(200)
    }),
    behaviour('another value than All is Invalid', async k => {
      const { status, body } = await k.admin.post(k.core('configmaps'), configMap(k.name()), {
        dryRun: 'Some',
      })
      expect(status).toBe(422)
      expect(body.message).toContain('dryRun: Unsupported value: ["Some"]: supported values: "All"')
    }),
  ],
}
