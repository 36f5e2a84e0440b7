import { typeOf } from '../kube/discovery.js'
import { FIELD_MANAGER, type KubeAnswer, type KubeApi } from '../kube/kube-api.js'
import { KubeError } from '../kube/kube-error.js'
import { collectionPath, type KubeObject, type ObjectAddress, objectPath } from '../kube/object.js'
import type { Base, Checked, EditEvent } from './edit.js'
import { bodyOf, type Manifest, manifestsIn, objectIn, textOf } from './manifest.js'
import { ManifestError } from './manifest-problem.js'

/** Manifests of one text. */
const MOST_MANIFESTS = 50

/** A status may change while each try is under way. */
const MOST_TRIES = 4

/** Where edits are checked and stored. Each answers with the event that follows; neither throws, except the signal's reason. */
export interface EditSource {
  /** What the server would store: nothing is written. */
  check(text: string, base: Base | undefined, signal: AbortSignal): Promise<EditEvent>
  /** Stores it, once. */
  apply(text: string, base: Base | undefined): Promise<EditEvent>
}

/**
 * Edits of an instance's objects by its own API, as the caller. A text with a base replaces that object and is refused where it has changed
 * since; one without creates what it has, in its order. @param only the object that an edit is of
 */
export function editSource(api: KubeApi, only?: ObjectAddress): EditSource {
  const send = async (manifest: Manifest, base: Base | undefined, dry: boolean, signal?: AbortSignal) => {
    const type = await typeOf(api, manifest.apiVersion, manifest.kind)
    if (only) requireSame(manifest, only)
    const at: ObjectAddress = {
      type,
      namespace: type.isNamespaced ? manifest.namespace || only?.namespace || 'default' : '',
      name: manifest.name,
    }
    return api.request(base ? 'PUT' : 'POST', base ? objectPath(at) : collectionPath(type, at.namespace), {
      query: {
        fieldManager: FIELD_MANAGER,
        fieldValidation: 'Strict',
        ...(dry && { dryRun: 'All' }),
      },
      body: { type: 'application/yaml', text: bodyOf(manifest, base) },
      ...(signal && { signal }),
    })
  }

  /** What a failure of an edit means. */
  const after = async (error: unknown, base: Base | undefined, signal?: AbortSignal): Promise<EditEvent> => {
    const problem = error instanceof Error ? error : new Error(String(error))
    if (!(problem instanceof KubeError) || !base || !only) return { type: 'failed', problem }
    if (problem.status === 404) return { type: 'gone', problem }
    if (problem.reason !== 'Conflict') return { type: 'failed', problem }
    try {
      const theirs = await readBase(api, only, signal)
      // A precondition that the reader wrote, or an admission's own conflict: the object is as it was.
      if (theirs.resourceVersion === base.resourceVersion) return { type: 'failed', problem }
      return { type: 'conflicted', theirs }
    } catch (next) {
      if (next instanceof KubeError && next.status === 404) return { type: 'gone', problem: next }
      return { type: 'failed', problem }
    }
  }

  /**
   * Does it again with a newer version of the object, where it was refused because of a change that no reader would see, such as one of the status: a
   * refused precondition has written nothing. A change of what is edited is a conflict.
   */
  const upToDate = async (
    base: Base | undefined,
    attempt: (base: Base | undefined) => Promise<EditEvent>,
  ): Promise<EditEvent> => {
    let current = base
    for (let tries = 1; ; tries += 1) {
      const event = await attempt(current)
      if (event.type !== 'conflicted' || event.theirs.text !== base?.text || tries === MOST_TRIES)
        return event
      current = event.theirs
    }
  }

  return {
    check: (text, base, signal) => upToDate(base, current => check(text, current, signal)),
    apply: (text, base) => upToDate(base, current => apply(text, current)),
  }

  async function check(text: string, base: Base | undefined, signal: AbortSignal): Promise<EditEvent> {
    try {
      const manifests = readable(text, base)
      const answers: KubeAnswer[] = []
      for (const manifest of manifests) answers.push(await send(manifest, base, true, signal))
      const checked: Checked = {
        before: base?.text ?? '',
        after: answers.map(answer => textOf(objectIn(answer.text))).join('---\n'),
        warnings: answers.flatMap(({ warnings }) => warnings),
      }
      return { type: 'checked', checked }
    } catch (error) {
      signal.throwIfAborted()
      return after(error, base, signal)
    }
  }

  async function apply(text: string, base: Base | undefined): Promise<EditEvent> {
    const stored: string[] = []
    let manifests: Manifest[] = []
    try {
      manifests = readable(text, base)
      for (const manifest of manifests) {
        await send(manifest, base, false)
        stored.push(titleOf(manifest))
      }
      return { type: 'applied', stored }
    } catch (error) {
      const event = await after(error, base)
      const left = manifests[stored.length]
      if (event.type !== 'failed' || stored.length === 0 || !left) return event
      return { type: 'partlyApplied', stored, text: text.slice(left.from), problem: event.problem }
    }
  }
}

/** An object as an edit begins with it. @throws what the request throws */
export async function readBase(api: KubeApi, at: ObjectAddress, signal?: AbortSignal): Promise<Base> {
  const { text } = await api.request('GET', objectPath(at), { ...(signal && { signal }) })
  return baseOf(objectIn(text))
}

export const baseOf = (object: KubeObject): Base => ({
  text: textOf(object),
  uid: object.metadata.uid ?? '',
  resourceVersion: object.metadata.resourceVersion ?? '',
  ...(object.status !== undefined && { status: object.status }),
})

const titleOf = ({ kind, namespace, name }: Manifest): string =>
  `${kind} ${namespace ? `${namespace}/` : ''}${name}`

function readable(text: string, base: Base | undefined): Manifest[] {
  const manifests = manifestsIn(text)
  if (manifests.length === 0) throw new ManifestError({ is: 'empty' }, 0)
  if (base && manifests.length > 1) throw new ManifestError({ is: 'several' }, manifests[1]?.from ?? 0)
  if (manifests.length > MOST_MANIFESTS)
    throw new ManifestError(
      { is: 'tooMany', count: manifests.length, most: MOST_MANIFESTS },
      manifests[MOST_MANIFESTS]?.from ?? 0,
    )
  return manifests
}

function requireSame({ kind, namespace, name, from }: Manifest, only: ObjectAddress): void {
  const differs = (field: string, value: string, mustBe: string) =>
    new ManifestError({ is: 'other', kind: only.type.kind, name: only.name, field, value, mustBe }, from)
  if (kind !== only.type.kind) throw differs('kind', kind, only.type.kind)
  if (name !== only.name) throw differs('metadata.name', name, only.name)
  if (namespace !== '' && namespace !== only.namespace)
    throw differs('metadata.namespace', namespace, only.namespace)
}
