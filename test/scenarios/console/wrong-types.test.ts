import { expect, it } from 'vitest'
import { describeConsole } from '../support/console-world.js'

interface Answered {
  readonly metadata: object
  readonly spec?: object
  readonly status?: object
}

const LEVELS = 10_000
/** Stands for what `JSON.stringify` cannot write, because it recurses. */
const DEEP = 'what is nested deeply'

const nulls = (value: object = {}) => Object.fromEntries(Object.keys(value).map(key => [key, null]))

/** What a control plane that checks no types may answer in place of an object. */
const WRONG: Readonly<Record<string, (object: Answered) => object>> = {
  'texts in place of its parts': object => ({
    ...object,
    ...{ spec: 'a text', status: 'a text', data: 'a text', binaryData: 7, rules: 'a text', type: {} },
  }),
  'lists in place of labels, and other metadata': object => ({
    ...object,
    metadata: {
      ...object.metadata,
      ...{
        labels: ['a', { b: 1 }],
        annotations: 7,
        ownerReferences: { a: 1 },
        finalizers: 'x',
        managedFields: 'y',
      },
      ...{ creationTimestamp: 'yesterday', generation: 'many', deletionTimestamp: 7 },
    },
  }),
  'conditions that are an object, and numbers that are none': object => ({
    ...object,
    spec: {
      ...object.spec,
      ...{ replicas: 'NaN', template: [], ports: { a: 1 }, rules: { http: 'x' }, selector: 3, paused: 'no' },
    },
    status: {
      conditions: { type: 'Ready' },
      replicas: 'NaN',
      readyReplicas: {},
      loadBalancer: 'x',
      phase: {},
    },
  }),
  'nothing in place of its fields': object => ({
    ...object,
    ...{
      spec: nulls(object.spec),
      status: nulls(object.status),
      data: { a: null, b: 7, c: { d: 1 }, e: ['f'] },
    },
    metadata: { ...object.metadata, labels: { a: null }, annotations: { a: {} }, ownerReferences: [null] },
  }),
  'as many levels as API servers take': object => ({ ...object, spec: DEEP }),
}

describeConsole(
  'a person at the console of a control plane that answers what has no type',
  { members: 1 },
  world => {
    it.each(Object.keys(WRONG))('sees every part of a screen that can be shown: %s', async name => {
      if (name === Object.keys(WRONG)[0]) {
        await world.deploy('web')
        const store = (resource: string, body: object) =>
          world.karmada({
            ...{ method: 'POST', path: `/api/v1/namespaces/default/${resource}` },
            body: { apiVersion: 'v1', metadata: { name: 'web' }, ...body },
          })
        await store('configmaps', { kind: 'ConfigMap', data: { a: 'b' } })
        await store('services', {
          kind: 'Service',
          spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
        })
      }
      const { page, context, complaints } = await world.signedIn()
      const { admin } = world.proxy.playground.tokens
      let answers = 0
      await page.route(/\/proxy\/apis?\//, async route => {
        if (route.request().method() !== 'GET') return route.continue()
        // Not a request of the page any more: its session does not count for it.
        const headers = { ...route.request().headers(), authorization: `Bearer ${admin}` }
        const response = await route.fetch({ headers })
        const text = await response.text()
        const object = JSON.parse(text) as Partial<Answered> & { metadata?: { name?: string } }
        if (object.metadata?.name === undefined) return route.fulfill({ response, body: text })
        const deep = `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`
        const body = JSON.stringify(WRONG[name]?.(object as Answered)).replace(JSON.stringify(DEEP), deep)
        answers += 1
        await route.fulfill({ response, body })
      })
      for (const path of [
        'objects/configmaps/default/web',
        'objects/configmaps/default/web?edit=true',
        'objects/services/default/web',
        'objects/services/default/web?edit=true',
        'workloads/deployments/default/web?edit=true',
        'policies/propagationpolicies/default/web',
        'policies/propagationpolicies/default/web/edit',
        'objects/namespaces/-/default',
      ]) {
        answers = 0
        await page.goto(`${world.api.url}/instances/${world.instance}/${path}`)
        await expect.poll(() => answers, { message: path }).toBeGreaterThan(0)
        await expect.poll(() => page.locator('.mantine-Loader-root').count(), { message: path }).toBe(0)
        const text = await page.getByRole('main').innerText()
        const thrown = /.*(Cannot read|is not a function|is not iterable|call stack).*/.exec(text)?.[0]
        const sideways = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        expect([path, thrown, sideways, complaints]).toEqual([path, undefined, 0, []])
        // What is no part of the answer is there.
        // Karmada does not propagate the reserved namespace, so its screen has no way to members.
        if (path.startsWith('objects/namespaces/'))
          await page.getByRole('heading', { name: 'default' }).waitFor()
        else if (path.startsWith('objects/'))
          await page.getByText('Propagation to member clusters', { exact: true }).waitFor()
      }
      await context.close()
    })
  },
)
