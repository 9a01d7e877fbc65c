/** The OpenFeature Remote Evaluation Protocol: flags evaluated for OpenFeature's clients. */
import {
  evaluateFlag,
  evaluateFlags,
  evaluationBody,
  ofrepFault,
  parseEvaluationContext,
} from '../../shared/flags/ofrep.ts';
import { responseObject, Type } from '../../shared/platform/json/schema.ts';
import { writeEndpoint, type Endpoint } from '../endpoint.ts';
import { matchesEtag } from '../http/packedFile.ts';

const evaluationAnswer = responseObject({
  key: Type.String({ description: 'The flag.' }),
  value: Type.Unknown({ description: 'What it is for this targeting key.' }),
  reason: Type.String({ description: 'What decided: STATIC, TARGETING_MATCH, SPLIT or DEFAULT.' }),
  metadata: Type.Object(
    {
      version: Type.Integer({ description: 'Version.' }),
      decidedBy: Type.Union(
        ['target', 'rule', 'rollout', 'value'].map((decider) => Type.Literal(decider)),
        { description: 'What decided.' },
      ),
      rule: Type.Optional(Type.Integer({ minimum: 0, description: 'Which of the rules decided, counted from 0.' })),
    },
    { description: 'About the flag.' },
  ),
});
const example = { context: { targetingKey: 'cus_1001', plan: 'team' } };

const common = {
  tag: 'Flags',
  allowsApp: true,
  idempotencyKey: 'ignored',
  body: evaluationBody,
  bodyOptional: true,
  audit: null,
  check: parseEvaluationContext,
} as const;

const all = writeEndpoint({
  ...common,
  path: '/ofrep/v1/evaluate/flags',
  name: 'ofrep.evaluateAll',
  summary: 'Every flag that you see, evaluated (OFREP)',
  responses: {
    200: responseObject({
      flags: Type.Array(Type.Object({ key: Type.String({ description: 'The flag.' }) }), {
        description: 'An evaluation of each flag, or why it has none.',
      }),
    }),
    304: null,
  },
  example: { body: example },
  mapFault: (failure) => ofrepFault(failure, null),
  handle: async ({ deps, caller, body, from }) => {
    const { text, etag } = await evaluateFlags(deps, caller, body);
    return matchesEtag(from.headers['if-none-match'], etag)
      ? { status: 304, body: undefined, etag }
      : { status: 200, body: text, etag };
  },
});

const one = writeEndpoint({
  ...common,
  path: '/ofrep/v1/evaluate/flags/:flag',
  name: 'ofrep.evaluate',
  summary: 'A flag, evaluated (OFREP)',
  responses: { 200: evaluationAnswer },
  example: { params: { flag: 'new_checkout' }, body: example },
  mapFault: (failure, { flag = '' }) => ofrepFault(failure, flag),
  handle: async ({ deps, caller, params, body }) => ({
    status: 200,
    body: await evaluateFlag(deps, caller, params['flag'] ?? '', body),
  }),
});

export const ofrepEndpoints: readonly Endpoint[] = [all, one];
