import { z } from 'zod'

/** One thing that is wrong with a configuration. */
export interface Problem {
  /** As a path of fields: `jwt[0].issuer.url`. */
  readonly field: string
  readonly message: string
}

const text = (least = 1) =>
  z
    .string({
      error: ({ input }) => (input === undefined || input === null ? 'is required' : 'must be a text'),
    })
    .min(least, 'is required')

const prefixedClaim = z.strictObject({
  claim: text(0).optional(),
  prefix: text(0).optional(),
  expression: text(0).optional(),
})

const issuer = z.strictObject({
  url: text(),
  discoveryURL: text(0).optional(),
  certificateAuthority: text(0).optional(),
  audiences: z.array(text(), 'must be a list of texts').min(1, 'must have one audience or more'),
  audienceMatchPolicy: z.enum(['', 'MatchAny'], 'must be MatchAny').optional(),
})

const authenticator = z.strictObject({
  issuer: issuer,
  claimValidationRules: z
    .array(
      z.strictObject({
        claim: text(0).optional(),
        requiredValue: text(0).optional(),
        expression: text(0).optional(),
        message: text(0).optional(),
      }),
    )
    .default([]),
  claimMappings: z.strictObject({
    username: prefixedClaim,
    groups: prefixedClaim.default({}),
    uid: z.strictObject({ claim: text(0).optional(), expression: text(0).optional() }).default({}),
    extra: z.array(z.strictObject({ key: text(), valueExpression: text() })).default([]),
  }),
  userValidationRules: z
    .array(z.strictObject({ expression: text(), message: text(0).optional() }))
    .default([]),
})

/** The shape of the document; what its fields mean together is the rules' affair. */
export const document = z.strictObject({
  apiVersion: z.enum(
    ['apiserver.config.k8s.io/v1', 'apiserver.config.k8s.io/v1beta1'],
    'must be apiserver.config.k8s.io/v1 or apiserver.config.k8s.io/v1beta1',
  ),
  kind: z.literal('AuthenticationConfiguration', 'must be AuthenticationConfiguration'),
  jwt: z.array(authenticator, 'must be a list').max(64, 'must have at most 64 issuers').default([]),
  anonymous: z
    .strictObject({
      enabled: z.boolean('must be true or false'),
      conditions: z.array(z.strictObject({ path: text() })).default([]),
    })
    .optional(),
})

/** Kubernetes' AuthenticationConfiguration, apiserver.config.k8s.io/v1. */
export type AuthenticationConfiguration = z.infer<typeof document>

/** One entry of `jwt`: an issuer whose tokens are accepted, and what they say of their users. */
export type IssuerConfiguration = AuthenticationConfiguration['jwt'][number]
