/**
 * Characters that show nothing themselves and change how others are shown: marks of direction (Unicode Standard Annex 9, section 2), blanks of no width, line breaks and other
 * controls. No joiners (U+200C, U+200D), which some scripts write names with.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/** The name of a user, a group or a thing of an address with what cannot be seen in it written out, as `‹U+202E›`: a name that is another one must not look like it. */
export const shownName = (name: string): string =>
  name.replace(UNSEEN, unseen => `‹U+${unseen.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}›`)
