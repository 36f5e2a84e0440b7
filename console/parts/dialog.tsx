import { Modal, type ModalProps } from '@mantine/core'
import { useWords } from '../words/use-words.js'

/** A dialog over the page; its button to close it has a name. */
export function Dialog({ children, ...props }: Omit<ModalProps, 'opened'>) {
  const { problem } = useWords()
  return (
    <Modal opened closeButtonProps={{ 'aria-label': problem.close }} {...props}>
      {children}
    </Modal>
  )
}
