import { Modal, type ModalProps } from '@mantine/core'
import { useWords } from '../words/use-words.js'
import { useReturnedFocus } from './use-returned-focus.js'

/** A dialog. Its close button has a name, and on closing the focus returns to the element that opened it. */
export function Dialog({ children, ...props }: Omit<ModalProps, 'opened'>) {
  const { problem } = useWords()
  useReturnedFocus()
  return (
    <Modal opened closeButtonProps={{ 'aria-label': problem.close }} {...props}>
      {children}
    </Modal>
  )
}
