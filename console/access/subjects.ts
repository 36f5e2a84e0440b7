import { shownName } from '../parts/shown-name.js'

/** An RBAC subject: a user, a group or a service account. */
export interface Subject {
  readonly kind: string
  readonly name: string
  readonly namespace: string
}

/** A subject as text: `Group platform:shop`, `ServiceAccount ci/deployer`. */
export const subjectText = ({ kind, name, namespace }: Subject): string =>
  shownName(`${kind} ${namespace ? `${namespace}/` : ''}${name}`)

/** Parses subjects, one a line, and finds the first invalid line. */
export function subjectsOf(text: string): { readonly subjects: readonly Subject[]; readonly wrong?: string } {
  const subjects: Subject[] = []
  for (const line of text.split('\n').map(one => one.trim())) {
    if (line === '') continue
    const [, kind = '', rest = ''] = /^(User|Group|ServiceAccount)\s+(.+)$/.exec(line) ?? []
    const [, namespace = '', account = ''] = /^([^/\s]+)\/([^/\s]+)$/.exec(rest) ?? []
    if (kind === '' || (kind === 'ServiceAccount' && account === '')) return { subjects, wrong: line }
    subjects.push(
      kind === 'ServiceAccount' ? { kind, name: account, namespace } : { kind, name: rest, namespace: '' },
    )
  }
  return { subjects }
}
