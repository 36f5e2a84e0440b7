/** A state of a followed list: a reader that has it can be sent the changes since. */
export interface ListMark {
  /** The instance's resourceVersion of the state: a decimal number of at most 18 digits. */
  readonly version: string
  /** Of the objects that the list showed: 16 hexadecimal digits. Equal lists have equal ones. */
  readonly digest: string
}

/** A version that goes into marks. Kubernetes compares versions as such numbers; 18 digits fit its 63 bits. */
export const MARK_VERSION = /^[1-9][0-9]{0,17}$/
export const MARK_DIGEST = /^[0-9a-f]{16}$/
