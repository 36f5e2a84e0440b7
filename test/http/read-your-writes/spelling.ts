import type { GroupVersionResource } from '../../../manifests/kube.js'

const methods = { create: 'POST', update: 'PUT', delete: 'DELETE', deletecollection: 'DELETE' } as const

/** The method and path by which something is written; creations and deletions of many name no object. */
export function targetOf(
  verb: keyof typeof methods,
  { group, version, resource }: GroupVersionResource,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): { readonly method: string; readonly path: string } {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const inside = namespace === '' ? '' : `/namespaces/${namespace}`
  const named = verb === 'update' || verb === 'delete' ? `/${name}` : ''
  return { method: methods[verb], path: `${root}${inside}/${resource}${named}` }
}

/** The same path with some of its characters percent-encoded: those whose bit is set, eight at a time. */
export const spelled = (path: string, bits: number): string =>
  [...path]
    .map((character, at) =>
      character !== '/' && (bits >> (at % 8)) & 1
        ? `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`
        : character,
    )
    .join('')
