import { Group, type GroupProps } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Problem } from '../failures/problem.js'
import { MayButton } from '../rights/may.js'
import type { Wanted } from '../rights/refusal.js'
import { useNotYetWords } from '../words/not-yet.js'
import { type Action, useAction } from './use-action.js'

/** A write that the server tries first, by a dry run. */
export interface CheckedWrite<T> {
  /** What the server answered to the check of what is typed now; undefined where that was not checked. */
  readonly checked: { readonly answer: T } | undefined
  readonly check: Action<[]>
  readonly write: Action<[]>
}

/**
 * A write in two steps: whoever changes something after the check checks again.
 * @param form what is typed: it differs by `===` where anything differs
 * @param check asks the server to try it without writing
 */
export function useCheckedWrite<T>(
  form: unknown,
  check: () => Promise<T>,
  write: () => Promise<void>,
): CheckedWrite<T> {
  const [last, setLast] = useState<{ readonly form: unknown; readonly answer: T }>()
  return {
    checked: last?.form === form ? last : undefined,
    check: useAction(async () => {
      const answer = await check()
      setLast({ form, answer })
    }),
    write: useAction(write),
  }
}

/** What came of the check, and the buttons of both steps. */
export function CheckThenWrite({
  of: { checked, check, write },
  wanted,
  notYet,
  words,
  size = 'sm',
  accepted,
  before,
  after,
  justify = 'flex-start',
}: {
  readonly of: CheckedWrite<unknown>
  /** The right that the write needs; absent where it was asked for before. */
  readonly wanted?: Wanted
  /** What is to be done before it can be checked. */
  readonly notYet: string | undefined
  /** What the two buttons say. */
  readonly words: { readonly check: string; readonly write: string }
  readonly size?: 'xs' | 'sm'
  /** Said of what the server has accepted. */
  readonly accepted: ReactNode
  /** Beside the buttons: such as one that leaves. */
  readonly before?: ReactNode
  readonly after?: ReactNode
  readonly justify?: GroupProps['justify']
}) {
  const notYetWords = useNotYetWords()
  const problem = write.error ?? check.error
  return (
    <>
      {problem && <Problem error={problem} />}
      {checked && !write.error && accepted}
      <Group justify={justify}>
        {before}
        <MayButton
          wanted={wanted}
          size={size}
          variant={checked ? 'default' : 'filled'}
          notYet={notYet}
          loading={check.busy}
          onClick={() => void check.run()}
        >
          {words.check}
        </MayButton>
        <MayButton
          wanted={wanted}
          size={size}
          notYet={checked ? undefined : notYetWords.check}
          loading={write.busy}
          onClick={() => void write.run()}
        >
          {words.write}
        </MayButton>
        {after}
      </Group>
    </>
  )
}
