import { Stack } from '@mantine/core'
import type { Change } from '../forms/changes.js'
import { NameFields } from '../forms/name-fields.js'
import { NoForm } from '../forms/no-form.js'
import { PlacementFields } from './placement-fields.js'
import { changed, formOf } from './policy-document.js'
import { RuleFields } from './rule-fields.js'
import { Selectors } from './selector-fields.js'

/**
 * A form for a policy. It edits the same text as the YAML editor and keeps fields and comments that it does not know.
 * @param clusters the names of the member clusters to choose from
 */
export function PolicyForm({
  text,
  change,
  clusters,
  isNew,
  isOverride,
  isNamespaced,
}: {
  readonly text: string
  readonly change: (text: string) => void
  readonly clusters: readonly string[]
  readonly isNew: boolean
  readonly isOverride: boolean
  readonly isNamespaced: boolean
}) {
  const view = formOf(text)
  if ('problem' in view) return <NoForm problem={view.problem} />
  const apply = (...changes: readonly Change[]) => change(changed(text, ...changes))
  const { spec, name, namespace } = view
  return (
    <Stack>
      {isNew && <NameFields name={name} namespace={namespace} isNamespaced={isNamespaced} apply={apply} />}
      <Selectors spec={spec} apply={apply} />
      {isOverride ? (
        <RuleFields rules={spec.rules} clusters={clusters} apply={apply} />
      ) : (
        <PlacementFields spec={spec} clusters={clusters} apply={apply} />
      )}
    </Stack>
  )
}
