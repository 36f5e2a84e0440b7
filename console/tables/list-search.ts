/** What the address of a list says. */
export interface ListSearch {
  readonly find?: string
  /** The row at the top, counted from 1; absent: the first. */
  readonly row?: number
}

/** Reads it from an address, which anyone may have typed. */
export const listSearch = ({ find, row }: Record<string, unknown>): ListSearch => ({
  ...(typeof find === 'string' && find !== '' && { find }),
  ...(Number.isInteger(row) && (row as number) > 1 && { row: row as number }),
})

/** What the address of one object says: whether it is edited. */
export const editSearch = ({ edit }: Record<string, unknown>): { readonly edit?: true } => ({
  ...(edit === true && { edit }),
})

/** What an address says, with one field changed: without it where the value is undefined. */
export function withField<S extends object, K extends keyof S>(
  search: S,
  field: K,
  value: S[K] | undefined,
): S {
  const { [field]: _, ...rest } = search
  return (value === undefined ? rest : { ...rest, [field]: value }) as S
}
