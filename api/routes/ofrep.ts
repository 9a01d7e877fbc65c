/** Flags evaluated for OpenFeature's clients: the OpenFeature Remote Evaluation Protocol below an environment's address. */
import { answer, Type } from '../../shared/platform/core/schema.ts';
import { contextOf, evaluateAll, evaluateOne, evaluationBody, isKnown, ofrepFault } from '../../shared/flags/ofrep.ts';
import { write, type Endpoint } from '../endpoint.ts';

const evaluationAnswer = answer({ key: Type.String(), value: Type.Unknown(), reason: Type.String(), metadata: Type.Object({ version: Type.Integer() }) });
const example = { context: { targetingKey: 'cus_1001', plan: 'team' } };

const common = {
  tag: 'Flags',
  app: true,
  once: false,
  body: evaluationBody,
  bodyOptional: true,
  audit: null,
  check: contextOf,
} as const;

const all = write({
  ...common,
  path: '/ofrep/v1/evaluate/flags',
  name: 'ofrep.evaluateAll',
  summary: 'Every flag that you see, evaluated (OFREP)',
  responses: { 200: answer({ flags: Type.Array(Type.Object({ key: Type.String() })) }), 304: null },
  example: { body: example },
  failed: (failure) => ofrepFault(failure, null),
  handle: async ({ deps, caller, body, from }) => {
    const { text, etag } = await evaluateAll(deps, caller, body);
    return isKnown(from.headers['if-none-match'], etag) ? { status: 304, body: undefined, etag } : { status: 200, body: text, etag };
  },
});

const one = write({
  ...common,
  path: '/ofrep/v1/evaluate/flags/:flag',
  name: 'ofrep.evaluate',
  summary: 'A flag, evaluated (OFREP)',
  responses: { 200: evaluationAnswer },
  example: { params: { flag: 'new_checkout' }, body: example },
  failed: (failure, { flag = '' }) => ofrepFault(failure, flag),
  handle: async ({ deps, caller, params, body }) => ({ status: 200, body: await evaluateOne(deps, caller, params['flag'] ?? '', body) }),
});

export const ofrepEndpoints: readonly Endpoint[] = [all, one];
