/**
 * What kubectl printed, less what must differ between two runs of the same command: addresses, identities, times, ages
 * (with them the widths of columns), and names of temporary files.
 */
export const comparable = (text: string): string =>
  managersInOrder(timeless(changedLines(rulesInOrder(text))))
    .replaceAll(
      /https:\/\/127\.0\.0\.1:\d+(\/apis\/kairship\.io\/v1alpha1\/instances\/[^/]+\/proxy)?/g,
      'SERVER',
    )
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'UID')
    .replaceAll(/(resourceVersion"?: ?)"\d+"/g, '$1"RV"')
    .replaceAll(/(Resource Version: +)\d+/g, '$1RV')
    .replaceAll(/\/tmp\/(LIVE|MERGED)-\d+/g, '/tmp/$1')
    // Pods and events have names that the server made.
    .replaceAll(/\b(shop-[0-9a-z]{5,10})-[0-9a-z]{5}\b/g, '$1-POD')
    .replaceAll(/\b10\.\d+\.\d+\.\d+\b/g, 'ADDRESS')
    .replaceAll(/\b(member-\d+-)?node-\d+\b/g, 'NODE')
    .replaceAll(/\b(\d+[ydhm])?\d+[ydhms]\b/g, 'AGE')
    // How far a rollout is, and which events were recorded by now, depends on when one asks.
    .replaceAll(/^Waiting for .*\n/gm, '')
    .replace(/^Events:[\s\S]*$/m, 'Events: …\n')
    .replaceAll('<invalid>', 'AGE')
    .replaceAll(/ {2,}/g, '  ')
    .replaceAll(/ +$/gm, '')

const timeless = (text: string): string =>
  text
    .replaceAll(/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| [+-]\d{4}( UTC)?)?/g, 'TIME')
    .replaceAll(/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, 'TIME')

/** Of a diff what differs, without its dependencies: two times that differ add lines when a second went by. */
const changedLines = (text: string): string =>
  text.startsWith('diff ')
    ? text
        .split('\n')
        .filter(line => /^[+-]/.test(line) && !/^[+-] +time: /.test(line))
        .join('\n')
    : text

/** managedFields are sorted by second: who wrote first counts only when a second went by between two writes. */
const managersInOrder = (text: string): string =>
  text
    .replaceAll(
      /^( *)managedFields:\n((?:\1(?:- | {2}).*\n)+)/gm,
      (_all, indent: string, entries: string) =>
        `${indent}managedFields:\n${entries
          .split(new RegExp(`^(?=${indent}- )`, 'm'))
          .sort()
          .join('')}`,
    )
    .replaceAll(
      /("managedFields": \[\n)([\s\S]*?)(\n *\](?:,|\n))/g,
      (_all, head: string, entries: string, tail: string) =>
        `${head}${entries
          .split(/(?<=^ *\}),?\n(?= *\{$)/m)
          .sort()
          .join('\n')}${tail}`,
    )

/** RBAC finds the rules of `auth can-i --list` in no particular order. */
const rulesInOrder = (text: string): string =>
  text.startsWith('Resources ') ? text.split('\n').sort().join('\n') : text
