/** `user/NAME` before and after its first slash; all of it before where there is none. Names of users and groups may have slashes. */
export function splitOnce(word: string): readonly [kind: string, name: string] {
  const at = word.indexOf('/')
  return at < 0 ? [word, ''] : [word.slice(0, at), word.slice(at + 1)]
}
