import { Component, type ReactNode } from 'react'

interface Failed {
  readonly failure?: { readonly error: unknown }
}

/** What its children show; where one of them fails, something else. React has no hook for it. */
export class Caught extends Component<
  {
    /** What is shown in place of them. What it throws is for the next `Caught` around this one. */
    readonly otherwise: (error: unknown) => ReactNode
    readonly children: ReactNode
  },
  Failed
> {
  override state: Failed = {}

  static getDerivedStateFromError = (error: unknown): Failed => ({ failure: { error } })

  override render(): ReactNode {
    const { failure } = this.state
    return failure ? this.props.otherwise(failure.error) : this.props.children
  }
}
