import { Center, Loader } from '@mantine/core'
import { type ComponentProps, lazy, Suspense } from 'react'
import { useEditorWords } from '../../words/editor.js'

const Field = lazy(() => import('./code-field.js').then(({ CodeField }) => ({ default: CodeField })))
const Comparing = lazy(() => import('./comparison.js').then(({ Comparison }) => ({ default: Comparison })))

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
