/**
 * Matches characters that are invisible or change how others are shown: direction marks (Unicode Standard Annex 9, section 2), blanks without width,
 * line breaks and other controls. Joiners (U+200C, U+200D) are not matched, because some scripts need them.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are matched by this
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/**
 * Writes invisible characters of a name out, as `‹U+202E›`, so that no name looks like another one. For names of users and groups, and names from
 * addresses.
 */
export const shownName = (name: string): string =>
  name.replace(UNSEEN, unseen => `‹U+${unseen.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}›`)
