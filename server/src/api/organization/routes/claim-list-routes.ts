import { Type } from 'typebox'
import { claimList, outcomes } from '../../../devices/registry/claim-list.ts'
import type { App } from '../../../platform/http/app.ts'
import { limitAddress } from '../../../platform/http/client-address.ts'
import { FieldProblem, Id, Nullable } from '../../../platform/http/schemas.ts'
import { partValidator, validatorCompiler } from '../../../platform/http/validation.ts'
import { listLimits, requestLimits } from '../../../platform/own-limits.ts'
import type { Context } from '../../context.ts'
import { tagged } from '../../shared/route-schemas.ts'
import { callerOf, ownerOf } from '../authenticate-organization.ts'
import { Claim } from './organization-device-routes.ts'

const bounds = { minItems: 1, maxItems: listLimits.claims }
const ClaimList = Type.Object(
  { devices: Type.Array(Claim, { ...bounds, description: 'One claim per device.' }) },
  { title: 'DeviceClaimList', description: 'Devices to claim in one call.', additionalProperties: false },
)

/** What the call must be as a whole; a line that is wrong gets its own result. */
const Lines = Type.Object({ devices: Type.Array(Type.Unknown(), bounds) }, { additionalProperties: false })

const LineResult = Type.Object(
  {
    outcome: Type.Enum([...outcomes], { description: 'What came of the line.' }),
    device_id: Type.Optional(Id),
    error: Type.Optional(Type.String({ description: 'A sentence for people. Branch on `outcome`.' })),
    details: Type.Optional(Type.Array(FieldProblem)),
  },
  { title: 'DeviceClaimResult', description: 'What came of one line of the list.' },
)

const ListResult = Type.Object(
  {
    results: Type.Array(LineResult, { description: 'One result per line, in the order of the call.' }),
    retry_after_seconds: Nullable(
      Type.Integer({ description: 'When to send the lines again that were `not_tried`; null when there are none.' }),
    ),
  },
  { title: 'DeviceClaimResults', description: 'What came of every line of the list.' },
)

const problemsOf = partValidator(Claim)

const description = `Up to ${listLimits.claims.toLocaleString('en')} devices, with one result each. A line that fails does not undo the others.

| outcome | meaning |
|---|---|
| \`claimed\` | Claimed with this call. |
| \`already_yours\` | It was before, or an earlier line claimed it; its name and space stay. Sending a list again is therefore safe. |
| \`claim_failed\` | The device cannot be claimed: unknown, another customer's, or removed. |
| \`unknown_space\` | You have no such space. |
| \`invalid\` | The line is not a claim; \`details\` names the fields. |
| \`not_tried\` | Too many lines have failed in this minute. Send it again after \`retry_after_seconds\`. |

Only lines with \`claim_failed\` count towards the limit of failed claims.`

export function claimListRoute(app: App, context: Context): void {
  app.post(
    '/devices/claim-list',
    {
      bodyLimit: requestLimits.listBytes,
      ...tagged('Organization: devices')({
        permission: 'devices: manage',
        creates: { unlimited: 'claimed devices exist already' },
        summary: 'Claim many devices',
        description,
        body: ClaimList,
        response: { 200: ListResult },
      }),
      validatorCompiler: (part) => validatorCompiler(part.httpPart === 'body' ? { ...part, schema: Lines } : part),
    },
    async (request) => {
      const lines = request.body.devices.map((line) => {
        const problems = problemsOf(line)
        return problems.length > 0 ? { problems } : line
      })
      return await claimList(
        context,
        { actor: callerOf(request).actor, ...ownerOf(request), address: limitAddress(request.ip) },
        lines,
      )
    },
  )
}
