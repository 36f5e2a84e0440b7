import type { ErrorCode } from 'yaml'

/** Why a text is no manifest that the editor accepts. */
export type ManifestProblem =
  /** It is no YAML: the parser's code, its words in English, and where. */
  | {
      readonly is: 'noYaml'
      readonly code: ErrorCode
      readonly message: string
      readonly line: number
      readonly column: number
    }
  | { readonly is: 'repeatedKey'; readonly key: string }
  | { readonly is: 'noMapping' }
  | { readonly is: 'missing'; readonly field: 'apiVersion' | 'kind' | 'metadata.name' }
  | { readonly is: 'empty' }
  /** One object is edited, and it has more. */
  | { readonly is: 'several' }
  | { readonly is: 'tooMany'; readonly count: number; readonly most: number }
  /** The text names another object than the edited one. `mustBe` is empty where the field must be. */
  | {
      readonly is: 'other'
      readonly kind: string
      readonly name: string
      readonly field: string
      readonly value: string
      readonly mustBe: string
    }

/** A text that is no manifest. The message is shown in the user's language (`words/manifest.ts`). */
export class ManifestError extends Error {
  override readonly name = 'ManifestError'

  constructor(
    readonly problem: ManifestProblem,
    /** Characters before it. */
    readonly at: number,
  ) {
    super(problem.is === 'noYaml' ? problem.message : problem.is)
  }
}
