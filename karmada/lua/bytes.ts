/** Strings of Lua are bytes, strings of JavaScript are not: here a byte is a character. */

const ASCII = /^[\0-\x7f]*$/
/** As many characters as a call gets at once. */
const CHUNK = 8_192

/** The bytes of a text in UTF-8. */
export function bytesOf(text: string): string {
  if (ASCII.test(text)) return text
  const bytes = new TextEncoder().encode(text)
  let made = ''
  for (let at = 0; at < bytes.length; at += CHUNK)
    made += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  return made
}

/** The text that bytes are in UTF-8. What is not UTF-8 becomes U+FFFD. */
export function textOfBytes(bytes: string): string {
  if (ASCII.test(bytes)) return bytes
  return new TextDecoder().decode(Uint8Array.from(bytes, char => char.charCodeAt(0)))
}
