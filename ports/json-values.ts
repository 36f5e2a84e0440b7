const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const BRACKET = 0x5b
const BRACE = 0x7b

/**
 * Whether a JSON text has more than `most` values, found without making one of them. What JSON costs is its values and not its
 * bytes: a megabyte of `{},` takes a hundred times the time and thirty times the memory of
 * one text of a megabyte. An object and an
 * array count twice where another value follows. A text that is no JSON is counted as far as it looks like it.
 */
export function hasMoreValues(json: string, most: number): boolean {
  // Each value but the first has a character of its own before it.
  return json.length > most && countValues(json, most) > most
}

/** How many values a JSON text has, counted as above; more than `most` are not counted on. */
export function countValues(json: string, most: number): number {
  let values = 1
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = endOfText(json, at)
    else if (code === COMMA || code === BRACE || code === BRACKET) {
      values += 1
      if (values > most) return values
    }
  }
  return values
}

/** The place of the quote that ends the text which begins at `start`; the end of all where none does. */
function endOfText(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end === -1 ? json.length : end
}

function isEscaped(json: string, at: number): boolean {
  let before = at - 1
  while (json.charCodeAt(before) === BACKSLASH) before -= 1
  return (at - before) % 2 === 0
}
