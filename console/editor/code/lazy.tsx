import { Center, Loader } from '@mantine/core'
import { type ComponentProps, Suspense } from 'react'
import { lazyComponent } from '../../loading/lazy-component.js'
import { useEditorWords } from '../../words/editor.js'

const LazyField = lazyComponent(async () => (await import('./code-field.js')).CodeField)
const LazyComparison = lazyComponent(async () => (await import('./comparison.js')).Comparison)

/** `CodeField`, loaded when it is first rendered. */
export const YamlField = (props: ComponentProps<typeof LazyField>) => (
  <Suspense fallback={<Loading />}>
    <LazyField {...props} />
  </Suspense>
)

/** `Comparison`, loaded when it is first rendered. */
export const YamlComparison = (props: ComponentProps<typeof LazyComparison>) => (
  <Suspense fallback={<Loading />}>
    <LazyComparison {...props} />
  </Suspense>
)

function Loading() {
  const editor = useEditorWords()
  return (
    <Center h={240}>
      <Loader aria-label={editor.loading} />
    </Center>
  )
}
