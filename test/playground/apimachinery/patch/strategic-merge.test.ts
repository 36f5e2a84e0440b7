import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { builtinDefinitions } from '../../../../playground/apimachinery/builtin/builtin-definitions.js'
import type { Json, JsonObject } from '../../../../playground/apimachinery/json.js'
import { strategicMergePatch } from '../../../../playground/apimachinery/patch/strategic-merge.js'

const pod = builtinDefinitions.find(({ kind }) => kind === 'Pod')!.schema
const deployment = builtinDefinitions.find(({ kind }) => kind === 'Deployment')!.schema
const patchSpec = (spec: JsonObject, patch: JsonObject): Json | undefined =>
  strategicMergePatch(pod, { spec }, { spec: patch }).spec

const a = { name: 'a', image: '1' }
const b = { name: 'b', image: '2' }
const c = { name: 'c', image: '3' }

describe('a strategic merge patch', () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      'merges containers by name',
      { containers: [a, b] },
      { containers: [{ name: 'b', image: '9' }] },
      { containers: [a, { name: 'b', image: '9' }] },
    ],
    ['puts new containers first', { containers: [a] }, { containers: [b] }, { containers: [b, a] }],
    [
      'deletes an item',
      { containers: [a, b] },
      { containers: [{ name: 'a', $patch: 'delete' }] },
      { containers: [b] },
    ],
    [
      'replaces a list',
      { containers: [a, b] },
      { containers: [c, { $patch: 'replace' }] },
      { containers: [c] },
    ],
    [
      'replaces an object',
      { securityContext: { runAsUser: 1, runAsGroup: 2 } },
      { securityContext: { $patch: 'replace', runAsUser: 3 } },
      { securityContext: { runAsUser: 3 } },
    ],
    [
      'deletes an object',
      { containers: [a], securityContext: { runAsUser: 1 } },
      { securityContext: { $patch: 'delete' } },
      { containers: [a] },
    ],
    ['deletes a field', { containers: [a], hostname: 'x' }, { hostname: null }, { containers: [a] }],
    [
      'replaces an atomic list',
      { containers: [{ ...a, command: ['x', 'y'] }] },
      { containers: [{ name: 'a', command: ['z'] }] },
      { containers: [{ ...a, command: ['z'] }] },
    ],
    [
      'replaces tolerations, which are atomic',
      { tolerations: [{ key: 'a' }] },
      { tolerations: [{ key: 'b' }] },
      { tolerations: [{ key: 'b' }] },
    ],
    [
      'retains only the named keys',
      { volumes: [{ name: 'v', emptyDir: {} }] },
      { volumes: [{ name: 'v', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/x' } }] },
      { volumes: [{ name: 'v', hostPath: { path: '/x' } }] },
    ],
    [
      'orders as it says',
      { containers: [a, b] },
      { $setElementOrder: 1 },
      { containers: [a, b], $setElementOrder: 1 },
    ],
    [
      'merges ports by number',
      { containers: [{ ...a, ports: [{ containerPort: 80, protocol: 'TCP' }] }] },
      { containers: [{ name: 'a', ports: [{ containerPort: 80, name: 'http' }] }] },
      { containers: [{ ...a, ports: [{ containerPort: 80, protocol: 'TCP', name: 'http' }] }] },
    ],
    [
      'leaves no directive behind in what it adds',
      {},
      { containers: [{ ...a, $setElementOrder: null, env: [{ $patch: 'delete', name: 'x' }] }] },
      { containers: [{ ...a, env: [] }] },
    ],
  ])('%s', (_title, spec, patch, expected) => {
    const before = structuredClone(spec)
    expect(patchSpec(spec, patch)).toEqual(expected)
    expect(spec).toEqual(before)
  })

  it('orders items as it says, and keeps the position of others', () => {
    const x = { name: 'x', image: 'server' }
    const order = [{ name: 'c' }, { name: 'a' }, { name: 'b' }]
    const patch = { '$setElementOrder/containers': order, containers: [c] }
    expect(patchSpec({ containers: [a, x, b] }, patch)).toEqual({ containers: [c, a, x, b] })
  })

  it('deletes from and merges lists of primitive values', () => {
    const document = { metadata: { finalizers: ['a', 'b'] } }
    expect(
      strategicMergePatch(pod, document, {
        metadata: { '$deleteFromPrimitiveList/finalizers': ['a'], finalizers: ['c', 'b'] },
      }),
    ).toEqual({ metadata: { finalizers: ['c', 'b'] } })
  })

  it('changes the type of a deployment strategy with retainKeys', () => {
    const document = { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } }
    const patch = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } }
    expect(strategicMergePatch(deployment, document, patch)).toEqual({
      spec: { strategy: { type: 'Recreate' } },
    })
  })

  it.each<[JsonObject, number, string]>([
    [{ containers: [{ image: 'x' }] }, 500, 'map: map[image:x] does not contain declared merge key: name'],
    [
      { containers: [{ name: 'a', $patch: 'upsert' }] },
      500,
      'unknown patch type: upsert in map: map[$patch:upsert name:a]',
    ],
    [{ securityContext: { $patch: 'upsert' } }, 500, 'unknown patch type: upsert in map: map[$patch:upsert]'],
    [{ volumes: [{ name: 'v', $retainKeys: 'x' }] }, 400, 'invalid patch format of retainKeys'],
    [
      { volumes: [{ name: 'v', $retainKeys: ['name'], emptyDir: {} }] },
      400,
      'invalid patch format of retainKeys',
    ],
    [
      { '$setElementOrder/containers': [{ name: 'b' }], containers: [{ name: 'a' }] },
      400,
      'invalid patch format of setElementOrder list',
    ],
    [{ '$deleteFromPrimitiveList/x': 'a' }, 400, 'invalid patch format of primitive list'],
  ])('%j is refused', (patch, code, message) => {
    const spec = { containers: [a], securityContext: {}, volumes: [{ name: 'v' }] }
    expect(() => patchSpec(spec, patch)).toThrow(expect.objectContaining({ code, message }))
  })

  it('that is not an object is refused with 400', () => {
    expect(() => strategicMergePatch(pod, {}, [])).toThrow(expect.objectContaining({ code: 400 }))
  })

  it('is idempotent', () => {
    const container = fc.record({ name: fc.constantFrom('a', 'b', 'c'), image: fc.string() })
    const containers = fc.uniqueArray(container, { selector: one => one.name })
    fc.assert(
      fc.property(containers, containers, (original, patch) => {
        const once = patchSpec({ containers: original }, { containers: patch }) as JsonObject
        expect(patchSpec(once, { containers: patch })).toEqual(once)
        expect((once.containers as JsonObject[]).map(({ name }) => name).sort()).toEqual(
          [...new Set([...original, ...patch].map(({ name }) => name))].sort(),
        )
      }),
    )
  })
})
