/** Rows on one page of a list. */
export const ROWS = 50

/** What the address of a list says. */
export interface ListSearch {
  readonly find?: string
  readonly page?: number
}

/** Reads it from an address, which anyone may have typed. */
export const listSearch = ({ find, page }: Record<string, unknown>): ListSearch => ({
  ...(typeof find === 'string' && find !== '' && { find }),
  ...(Number.isInteger(page) && (page as number) > 1 && { page: page as number }),
})

/** What the address of one object says: whether it is edited. */
export const editSearch = ({ edit }: Record<string, unknown>): { readonly edit?: true } => ({
  ...(edit === true && { edit }),
})
