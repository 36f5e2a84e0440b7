import { Modal, type ModalProps } from '@mantine/core'
import { useWords } from '../words/use-words.js'
import { useReturnedFocus } from './use-returned-focus.js'

/** A dialog over the page: its button to close it has a name, and the focus goes back to what opened it. */
export function Dialog({ children, ...props }: Omit<ModalProps, 'opened'>) {
  const { problem } = useWords()
  useReturnedFocus()
  return (
    <Modal opened closeButtonProps={{ 'aria-label': problem.close }} {...props}>
      {children}
    </Modal>
  )
}
