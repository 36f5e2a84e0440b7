import { StatusError } from '../../../manifests/status-error.js'
import { type Path, paths, pathText } from './field-set.js'
import type { Managed } from './managed-fields.js'
import type { Conflict } from './ownership-rules.js'

/** The 409 that names every field another manager owns, grouped by manager, in the form clients parse and print. */
export function conflictError(conflicts: readonly Conflict[]): StatusError {
  const fields = conflicts.flatMap(({ manager, fields: set }) =>
    [...paths(set)].map(path => ({ manager, path })),
  )
  return new StatusError({
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    status: 'Failure',
    message: message(fields),
    reason: 'Conflict',
    details: {
      causes: fields.map(({ manager, path }) => ({
        reason: 'FieldManagerConflict',
        message: `conflict with ${managerText(manager)}`,
        field: pathText(path),
      })),
    },
    code: 409,
  })
}

interface OwnedField {
  readonly manager: Managed
  readonly path: Path
}

function message(fields: readonly OwnedField[]): string {
  const [only] = fields
  if (only && fields.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${managerText(only.manager)}: ${pathText(only.path)}`
  }
  const groups = new Map<string, string[]>()
  for (const { manager, path } of fields) {
    const name = managerText(manager)
    groups.set(name, [...(groups.get(name) ?? []), `- ${pathText(path)}`])
  }
  const lines = [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, list]) => [`conflicts with ${name}:`, ...list])
  return `Apply failed with ${fields.length} conflicts: ${lines.join('\n')}`
}

function managerText({ manager, operation, apiVersion, subresource }: Managed): string {
  const through = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`
  return `${JSON.stringify(manager)}${through}${operation === 'Update' ? ` using ${apiVersion}` : ''}`
}
