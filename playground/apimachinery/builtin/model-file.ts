import { join } from 'node:path'
import { packageRoot } from '../../../config/package-root.js'

/**
 * The generated facts about Kubernetes' types: names, types and which fields are required come from the installed
 * `@kubernetes/client-node`, by `npm run build`. They are read as plain JSON because importing that package costs every
 * process 80 MB.
 */
export interface ModelFile {
  /** Version of the package the facts come from, e.g. `2.0.1`. */
  readonly source: string
  readonly models: Readonly<Record<string, Model>>
}

/** One type: JSON name → type token (`string`, `int32`, `Array<V1Container>`, …); `required` fields end in `!`. */
export type Model = Readonly<Record<string, string>>

/** Type name → field → description; the type's own description under ''. */
export type DescriptionFile = Readonly<Record<string, Readonly<Record<string, string>>>>

export const modelPath = (): string => join(packageRoot(), 'dist', 'gen', 'kubernetes-models.json')
export const descriptionPath = (): string =>
  join(packageRoot(), 'dist', 'gen', 'kubernetes-descriptions.json')
