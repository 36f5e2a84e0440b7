import { Component, type ReactNode } from 'react'

interface Failed {
  readonly failure?: { readonly error: unknown }
}

/** Renders its children, or the fallback where one of them throws. React has no hook for it. */
export class ErrorBoundary extends Component<
  {
    /** Rendered in place of the children. An error that it throws goes to the next ErrorBoundary outside. */
    readonly fallback: (error: unknown) => ReactNode
    readonly children: ReactNode
  },
  Failed
> {
  override state: Failed = {}

  static getDerivedStateFromError = (error: unknown): Failed => ({ failure: { error } })

  override render(): ReactNode {
    const { failure } = this.state
    return failure ? this.props.fallback(failure.error) : this.props.children
  }
}
