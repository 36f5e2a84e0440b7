import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { REASONS } from '../../http/errors/reasons.js'
import { SERVICE_REASONS } from '../../ports/service-error.js'
import { Code, codeName, httpStatus } from '../../transcoding/code.js'

const table = (head: readonly [string, string], rows: readonly (readonly [string, string])[]): string => {
  const widths = [0, 1].map(column => Math.max(...[head, ...rows].map(row => (row[column] ?? '').length)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map(width => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
const reasons = (listed: Readonly<Record<string, string>>) =>
  table(
    ['reason', 'meaning'],
    Object.entries(listed)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, meaning]) => [`\`${name}\``, meaning]),
  )

const page = `# Errors of the management API

REST and gRPC refuse a call alike, with a [google.rpc.Status](https://github.com/googleapis/googleapis/blob/master/google/rpc/status.proto):
REST as the body of the answer, gRPC in \`grpc-status-details-bin\`.

\`\`\`json
{
  "code": 3,
  "message": "pageSize: is -2: 0 and -1 mean all",
  "details": [
    {
      "@type": "type.googleapis.com/google.rpc.BadRequest",
      "fieldViolations": [{ "field": "pageSize", "description": "is -2: 0 and -1 mean all", "reason": "" }]
    },
    {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      "reason": "Invalid",
      "domain": "kairship.io",
      "metadata": {}
    },
    {
      "@type": "type.googleapis.com/google.rpc.RequestInfo",
      "requestId": "b850a479-7a88-4ca3-b067-16ae1220ffbc",
      "servingData": ""
    }
  ]
}
\`\`\`

- \`code\` is one of gRPC's codes. The table below has the HTTP status of each; 405 and 502 replace it where that says more.
- \`message\` is for people. What Karmada or a member refuses keeps its words.
- \`ErrorInfo.reason\` is for programs. Every refusal has one, and it keeps its name and its meaning from version to version. An API
  server's refusal has the API server's own reason: \`Invalid\`, \`Conflict\`, \`Forbidden\` and so on.
- \`BadRequest.fieldViolations\` names each wrong field by its path in the request: \`data.spec.replicas\`.
- \`RetryInfo.retryDelay\` is there where a retry may help.
- \`RequestInfo.requestId\` finds the call in the log and in the audit records.

${table(
  ['code', 'HTTP'],
  Object.values(Code)
    .filter(code => code !== Code.OK)
    .map(code => [`${code} ${codeName(code)}`, String(httpStatus[code])]),
)}

## Reasons

${reasons(REASONS)}

Metrics and images come from services beside Kubernetes, whose refusals have these:

${reasons(SERVICE_REASONS)}
`

it('docs/errors.md has every reason (npx vitest run --project units test/docs -u writes it)', async () => {
  await expect(page).toMatchFileSnapshot(resolve(import.meta.dirname, '../../docs/errors.md'))
})
