import { Group, type GroupProps } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Problem } from '../failures/problem.js'
import { MayButton } from '../rights/may.js'
import type { Wanted } from '../rights/refusal.js'
import { useNotYetWords } from '../words/not-yet.js'
import { type Action, useAction } from './use-action.js'

/** A write that the server first tries by a dry run. */
export interface CheckedWrite<T> {
  /** The dry run's answer for the current form; undefined where the form was not checked or changed since. */
  readonly checked: { readonly answer: T } | undefined
  readonly check: Action<[]>
  readonly write: Action<[]>
}

/**
 * A write in two steps. Each change of the form needs another check.
 * @param form the form's values: another object, by `===`, after each change
 * @param check sends the dry run
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

/** The result of the check, and the buttons of both steps. */
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
  /** The action that the write does; absent where the right was checked elsewhere. */
  readonly wanted?: Wanted
  /** What the user must do before the check. */
  readonly notYet: string | undefined
  /** The labels of the buttons. */
  readonly words: { readonly check: string; readonly write: string }
  readonly size?: 'xs' | 'sm'
  /** Shown when the server accepted the dry run. */
  readonly accepted: ReactNode
  /** Shown beside the buttons, such as a button that leaves. */
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
