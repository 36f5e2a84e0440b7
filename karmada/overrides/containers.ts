import type { KubeObject } from '../../manifests/kube.js'
import type { ContainerOverrider, ImageOverrider } from '../objects/override-policy.js'
import { overriddenImage } from './image.js'
import { type Edit, OverrideError } from './json-edit.js'
import { valueAt } from './pointer.js'

/** Kinds with containers, and where those are; Karmada overrides containers of no others. */
const PODS: Readonly<Record<string, string>> = {
  Pod: '/spec/containers',
  ReplicaSet: '/spec/template/spec/containers',
  Deployment: '/spec/template/spec/containers',
  DaemonSet: '/spec/template/spec/containers',
  StatefulSet: '/spec/template/spec/containers',
  Job: '/spec/template/spec/containers',
}

interface Container {
  readonly name?: string
  readonly image?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
}

interface PlacedContainer {
  readonly container: Container
  /** JSON pointer. */
  readonly path: string
}

/** The edits that an image overrider makes: one image that it names, or those of all containers. */
export function imageEdits(object: KubeObject, overrider: ImageOverrider): readonly Edit[] {
  const images = overrider.predicate
    ? [{ path: overrider.predicate.path, image: imageAt(object, overrider.predicate.path) }]
    : containersOf(object).map(({ container, path }) => ({
        path: `${path}/image`,
        image: container.image ?? '',
      }))
  return images.map(({ path, image }) => ({ op: 'replace', path, value: overriddenImage(image, overrider) }))
}

function imageAt(object: KubeObject, path: string): string {
  const image = valueAt(object, path)
  if (typeof image !== 'string') throw new OverrideError(`${path} holds no image`)
  return image
}

/** The edits that change the command or arguments of the container that an overrider names. */
export const wordEdits = (
  object: KubeObject,
  field: 'command' | 'args',
  { containerName, operator, value = [] }: ContainerOverrider,
): readonly Edit[] =>
  containersOf(object)
    .filter(({ container }) => container.name === containerName)
    .map(({ container, path }): Edit => {
      const words = container[field] ?? []
      if (!Array.isArray(words)) throw new OverrideError(`${path}/${field} holds no list`)
      const unwanted = new Set(value)
      const remaining = operator === 'remove' ? words.filter(word => !unwanted.has(word)) : words
      return {
        op: container[field] ? 'replace' : 'add',
        path: `${path}/${field}`,
        value: operator === 'add' ? [...words, ...value] : remaining,
      }
    })

/** An earlier override may have put anything there. @throws OverrideError when it holds something else than containers, as Karmada fails then */
function containersOf(object: KubeObject): readonly PlacedContainer[] {
  const root = PODS[object.kind]
  const containers = root === undefined ? undefined : valueAt(object, root)
  if (root === undefined || containers === undefined) return []
  if (!Array.isArray(containers)) throw new OverrideError(`${root} holds no list`)
  return containers.map((container: unknown, at) => {
    const path = `${root}/${at}`
    if (typeof container !== 'object' || container === null || Array.isArray(container))
      throw new OverrideError(`${path} holds no container`)
    return { container, path }
  })
}
