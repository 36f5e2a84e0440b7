import { Stack, Text } from '@mantine/core'
import { type ComponentType, useEffect, useRef } from 'react'
import { type Change, setting } from '../../forms/changes.js'
import { changedObject, changedText, type FormObject, formTextOf } from '../../forms/form-text.js'
import { MoreMetadata } from '../../forms/more-metadata.js'
import { NameFields } from '../../forms/name-fields.js'
import { isSubdomain } from '../../forms/names.js'
import { NoForm } from '../../forms/no-form.js'
import type { Shape } from '../../forms/shape.js'
import { useNamespaceNames } from '../../instance/names.js'
import type { ObjectType } from '../../kube/object.js'
import { useFormWords } from '../../words/forms.js'
import type { FieldsProps } from './form-props.js'
import { moving, PLACEMENT, placementIn, renaming } from './placement.js'
import { PlacementFields } from './placement-fields.js'

/** The form of one kind. */
export interface KindForm {
  /** The fields that it reads and writes. */
  readonly shape: Shape
  readonly Fields: ComponentType<FieldsProps>
  /** Whether a name is valid for the kind. */
  readonly isName?: (text: string) => boolean
}

/**
 * A form for an object, and for the policy that places a new one. It edits the same text as the YAML editor and keeps fields and comments that it
 * does not know.
 */
export function ObjectForm({
  instance,
  type,
  kind: { shape, Fields, isName = isSubdomain },
  isNew,
  isPlaced,
  text,
  change,
}: {
  readonly instance: string
  readonly type: ObjectType
  readonly kind: KindForm
  readonly isNew: boolean
  /** Karmada propagates objects of this kind. */
  readonly isPlaced: boolean
  readonly text: string
  readonly change: (text: string) => void
}) {
  const words = useFormWords()
  const namespaces = useNamespaceNames(instance)
  // The user may type while a file is being read, so its content goes into the text of the last render.
  const latest = useRef({ text, change })
  useEffect(() => {
    latest.current = { text, change }
  })
  const view = objectsOf(text, type, shape)
  if ('problem' in view) return <NoForm problem={view.problem} />
  const { object, others } = view
  const apply = (...changes: readonly Change[]) => {
    const now = latest.current
    const next = now.text === text ? view : objectsOf(now.text, type, shape)
    if (!('problem' in next)) {
      const changed = changedObject(now.text, next.object.index, ...changes)
      latest.current = { ...now, text: changed }
      now.change(changed)
    }
  }
  const placement = isNew && isPlaced ? placementIn(others, object) : undefined
  const { index, name, namespace } = object
  return (
    <Stack>
      {isNew && (
        <NameFields
          name={name}
          namespace={namespace}
          namespaces={namespaces}
          isNamespaced={type.isNamespaced}
          isName={isName}
          apply={apply}
          rename={next =>
            change(
              changedText(text, documents => {
                if (placement) renaming(documents, { object, policy: placement, to: next })
                const document = documents[index]
                if (document) setting(['metadata', 'name'], next)(document)
              }),
            )
          }
          move={next => change(changedText(text, documents => moving(documents, object, placement, next)))}
        />
      )}
      <Fields instance={instance} object={object} isNew={isNew} apply={apply} />
      <MoreMetadata object={object.object} apply={apply} />
      {isNew && isPlaced && (
        <PlacementFields instance={instance} object={object} policy={placement} text={text} change={change} />
      )}
      {others.length > (placement ? 1 : 0) && (
        <Text size="sm">{words.further(others.length - (placement ? 1 : 0))}</Text>
      )}
    </Stack>
  )
}

/** The first object of the form's kind, and the other objects of the text. */
function objectsOf(text: string, { kind }: ObjectType, shape: Shape) {
  const read = formTextOf(text, of =>
    of === kind ? { metadata: METADATA, ...shape } : of === PLACEMENT.kind ? PLACEMENT.shape : undefined,
  )
  if ('problem' in read) return read
  const object: FormObject | undefined = read.objects.find(each => each.kind === kind)
  if (!object) return { problem: { is: 'otherKind', kind } } as const
  return { object, others: read.objects.filter(each => each !== object) }
}

const METADATA: Shape = { labels: {}, annotations: {} }
