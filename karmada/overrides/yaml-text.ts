import { Document, parse, parseDocument, Scalar, type Tags, visit } from 'yaml'

/** The width at which Go's YAML folds a line. */
const LINE_WIDTH = 80

/**
 * Reads YAML as sigs.k8s.io/yaml does: by YAML 1.1, so `yes` is a boolean and `012` is 10. Of a key that stands twice the last counts.
 * Looking for such keys would also take time by the square of their number: seconds for 90 KB, in the process that previews a policy.
 * @throws YAMLParseError
 */
export const readYaml = (text: string): unknown =>
  parse(text, { version: '1.1', uniqueKeys: false, customTags: withoutUnread })

/** Without tags of YAML 1.1 that Go's YAML does not read: `12:30:45` and `2020-01-01` stay texts. */
const withoutUnread = (tags: Tags): Tags =>
  tags.filter(
    tag => typeof tag === 'string' || (tag.tag !== TIMESTAMP && !('format' in tag && tag.format === 'TIME')),
  )

const TIMESTAMP = 'tag:yaml.org,2002:timestamp'

/**
 * Writes YAML as sigs.k8s.io/yaml does: keys in order, lists at the level of their key, and texts that YAML 1.1 would read as another type in
 * double quotes. The rows of `override-yaml.test.ts` are the answers of Karmada's own function.
 */
export function writeYaml(value: unknown): string {
  const document = new Document(value, { version: '1.1', sortMapEntries: true })
  visit(document, {
    Scalar(_, node) {
      const style = typeof node.value === 'string' && styleOf(node.value)
      if (style) node.type = style
    },
  })
  return document.toString({ indentSeq: false, singleQuote: true, lineWidth: LINE_WIDTH })
}

function styleOf(text: string): Scalar.Type | undefined {
  // The library reads other text than it wrote where a block has lines of white space alone (yaml 2.9.1).
  if (text.includes('\n'))
    return text.trim() === '' || CONTROL.test(text) ? Scalar.QUOTE_DOUBLE : Scalar.BLOCK_LITERAL
  return CONTROL.test(text) || isOtherType(text) ? Scalar.QUOTE_DOUBLE : undefined
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: such characters are looked for
const CONTROL = /[\x00-\x09\x0b-\x1f\x7f]/

/** Texts that may be of another type: to parse each text would take most of the time. */
const PERHAPS = /^$|^[-+.~\d]|^(?:null|y|n|yes|no|on|off|true|false)$/i

/** Whether a text without quotes is read as a number, a boolean, null or a time. */
function isOtherType(text: string): boolean {
  if (!PERHAPS.test(text)) return false
  const { contents } = parseDocument(text, { version: '1.1' })
  return contents === null || ('value' in contents && typeof contents.value !== 'string')
}
