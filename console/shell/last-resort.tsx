import { Alert, Button, Stack, Text } from '@mantine/core'
import { Component, type ReactNode } from 'react'

/** In place of the whole page where nothing of it could be shown, not even its texts: so it has its own, in all languages. */
export class LastResort extends Component<
  { readonly children: ReactNode },
  { readonly failure?: { readonly error: unknown } }
> {
  override state: { readonly failure?: { readonly error: unknown } } = {}

  static getDerivedStateFromError = (error: unknown) => ({ failure: { error } })

  override render(): ReactNode {
    const { failure } = this.state
    if (!failure) return this.props.children
    const { error } = failure
    return (
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
    )
  }
}
