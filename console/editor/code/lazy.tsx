import { Center, Loader } from '@mantine/core'
import { type ComponentProps, Suspense } from 'react'
import { lazyComponent } from '../../loading/lazy-component.js'
import { useEditorWords } from '../../words/editor.js'

const Field = lazyComponent(async () => (await import('./code-field.js')).CodeField)
const Comparing = lazyComponent(async () => (await import('./comparison.js')).Comparison)

/** A text of YAML; its editor is loaded when it is first shown. */
export const YamlField = (props: ComponentProps<typeof Field>) => (
  <Suspense fallback={<Waiting />}>
    <Field {...props} />
  </Suspense>
)

/** Two texts with what differs; loaded when it is first shown. */
export const YamlComparison = (props: ComponentProps<typeof Comparing>) => (
  <Suspense fallback={<Waiting />}>
    <Comparing {...props} />
  </Suspense>
)

function Waiting() {
  const editor = useEditorWords()
  return (
    <Center h={240}>
      <Loader aria-label={editor.loading} />
    </Center>
  )
}
