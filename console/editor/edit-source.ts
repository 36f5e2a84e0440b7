import { typeOf } from '../kube/discovery.js'
import { FIELD_MANAGER, type KubeAnswer, type KubeApi } from '../kube/kube-api.js'
import { KubeError } from '../kube/kube-error.js'
import { collectionPath, type KubeObject, type ObjectAddress, objectPath } from '../kube/object.js'
import type { Base, Checked, EditEvent } from './edit.js'
import { bodyOf, type Manifest, manifestsIn, objectIn, textOf } from './manifest.js'
import { ManifestError } from './manifest-problem.js'

/** The most manifests of one text. */
const MOST_MANIFESTS = 50

/** The most tries of a write. A status may change during each of them. */
const MOST_TRIES = 4

/** Checks and stores edits. Both methods return the event that follows; they throw nothing but the signal's reason. */
export interface EditSource {
  /** A dry run: the server shows what it would store. */
  check(text: string, base: Base | undefined, signal: AbortSignal): Promise<EditEvent>
  /** Stores the text, once. */
  apply(text: string, base: Base | undefined): Promise<EditEvent>
}

/**
 * Edits objects of an instance by its own API, as the caller. A text with a base replaces that object, and is refused where the object has changed
 * since. A text without a base creates its objects, in their order. @param only the edited object
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

  /** The event after a failed request. */
  const failureEvent = async (
    error: unknown,
    base: Base | undefined,
    signal?: AbortSignal,
  ): Promise<EditEvent> => {
    const problem = error instanceof Error ? error : new Error(String(error))
    if (!(problem instanceof KubeError) || !base || !only) return { type: 'failed', problem }
    if (problem.status === 404) return { type: 'gone', problem }
    if (problem.reason !== 'Conflict') return { type: 'failed', problem }
    try {
      const theirs = await readBase(api, only, signal)
      // The object has not changed: the user wrote a precondition into the text, or an admission webhook answered with a conflict of its own.
      if (theirs.resourceVersion === base.resourceVersion) return { type: 'failed', problem }
      return { type: 'conflicted', theirs }
    } catch (next) {
      if (next instanceof KubeError && next.status === 404) return { type: 'gone', problem: next }
      return { type: 'failed', problem }
    }
  }

  /**
   * Retries with the object's newer version where the conflict came from a change outside of the edited text, such as one of the status. This is
   * safe, because a failed precondition has written nothing. A change of the edited text is a conflict.
   */
  const retryOnStatusChange = async (
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
    check: (text, base, signal) => retryOnStatusChange(base, current => check(text, current, signal)),
    apply: (text, base) => retryOnStatusChange(base, current => apply(text, current)),
  }

  async function check(text: string, base: Base | undefined, signal: AbortSignal): Promise<EditEvent> {
    try {
      const manifests = readManifests(text, base)
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
      return failureEvent(error, base, signal)
    }
  }

  async function apply(text: string, base: Base | undefined): Promise<EditEvent> {
    const stored: string[] = []
    let manifests: Manifest[] = []
    try {
      manifests = readManifests(text, base)
      for (const manifest of manifests) {
        await send(manifest, base, false)
        stored.push(titleOf(manifest))
      }
      return { type: 'applied', stored }
    } catch (error) {
      const event = await failureEvent(error, base)
      const left = manifests[stored.length]
      if (event.type !== 'failed' || stored.length === 0 || !left) return event
      return { type: 'partlyApplied', stored, text: text.slice(left.from), problem: event.problem }
    }
  }
}

/** Reads an object to edit. @throws the error of the request */
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

function readManifests(text: string, base: Base | undefined): Manifest[] {
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
