import { Alert, Button, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorBoundary } from '../loading/error-boundary.js'

/** Shown in place of the whole page when nothing could be rendered. The translated texts may be missing, so it has its own in all languages. */
export const LastResort = ({ children }: { readonly children: ReactNode }) => (
  <ErrorBoundary
    fallback={error => (
      <Alert
        component="main"
        color="red"
        m="lg"
        title="This page could not be shown · 无法显示此页面"
        role="alert"
      >
        <Stack align="flex-start">
          <Text size="sm">{error instanceof Error ? error.message : String(error)}</Text>
          <Button size="xs" variant="default" onClick={() => location.reload()}>
            Load the page anew · 重新加载页面
          </Button>
        </Stack>
      </Alert>
    )}
  >
    {children}
  </ErrorBoundary>
)
