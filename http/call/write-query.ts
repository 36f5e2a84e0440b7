/** The field manager of the management API's writes; the controllers' is `kairship`. */
export const FIELD_MANAGER = 'kairship-apiserver'

/** The query of its writes: one with a typo in it is refused and not stored without what was meant. */
export const WRITE_QUERY = { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' } as const
