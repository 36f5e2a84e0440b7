import { type ComponentType, lazy, useState } from 'react'
import { createPortal } from 'react-dom'
import { Problem } from '../failures/problem.js'
import { Caught } from './caught.js'
import { NotLoaded, piece } from './piece.js'

/**
 * A component that is loaded when it is first shown. Where it does not come, that is said in its place, or over the page: what is around it stays, with
 * what was written there. Whoever shows it suspends.
 * @param place `over` for what would have covered the page
 */
export function lazyPiece<P extends object>(
  load: () => Promise<ComponentType<P>>,
  place: 'here' | 'over' = 'here',
): ComponentType<P & { readonly close?: () => void }> {
  // A failure stays one: React remembers how each `lazy` ended.
  const begin = () => lazy(async () => ({ default: await piece(load) }))
  let Piece = begin()
  // biome-ignore lint/correctness/noComponentHookFactories: it is made once for each module, as what `lazy` returns
  return function Shown(props) {
    const [attempt, setAttempt] = useState(0)
    const again = () => {
      Piece = begin()
      setAttempt(attempt + 1)
    }
    const { close } = props
    return (
      <Caught
        key={attempt}
        otherwise={error => {
          // Every other failure is not its own.
          if (!(error instanceof NotLoaded)) throw error
          const problem = <Problem error={error} retry={again} {...(close && { close })} />
          return place === 'here'
            ? problem
            : createPortal(<div className="notice">{problem}</div>, document.body)
        }}
      >
        <Piece {...props} />
      </Caught>
    )
  }
}
