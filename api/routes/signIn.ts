/** The endpoints by which people sign in, keep their sign-in fresh, and sign out. */
import { fault } from '../../shared/catalogue/errors.ts';
import { responseObject, strictObject, Type } from '../../shared/platform/core/schema.ts';
import { compileCheck } from '../../shared/platform/core/validate.ts';
import { freshSignInInput, personViewSchema, signInInput } from '../../shared/settings/schema.ts';
import { refreshSignIn, signIn, signOut } from '../../shared/settings/signIn.ts';
import { publicEndpoint, writeEndpoint, type Endpoint, type EndpointCall } from '../endpoint.ts';

const checkFreshInput = compileCheck(freshSignInInput);
const checkSignInInput = compileCheck(signInInput);

const tag = 'Sign-in';

const expiresAt = Type.Integer({
  description: 'When the session ends (milliseconds since 1970 UTC).',
  examples: [1_795_377_600_000],
});

const start = publicEndpoint({
  path: '/sign-in',
  name: 'person.signIn',
  summary: 'Sign a person in: a token for 12 hours, also set as a cookie; no token is needed',
  tag,
  body: signInInput,
  responses: {
    200: responseObject({
      token: Type.String({
        pattern: '^cper_',
        description: 'The session’s token.',
        examples: ['cper_Rk9PQkFSQkFaUVVYUkVET0JTQ1VSRUQ'],
      }),
      person: personViewSchema,
      expiresAt,
    }),
  },
  example: { body: { email: 'ana@example.com', password: 'correct horse battery' } },
  audit: { verb: 'person.signIn', target: () => ({ type: 'person', id: null }) },
  check: checkSignInInput,
  handle: async ({ deps, body, ...call }) => {
    const { browser, ...signedIn } = await signIn(deps, { ...body, ...call });
    return { status: 200, body: signedIn, cookie: signedIn.token, browserCookie: browser };
  },
});

/** Agents never sign in. */
const requirePersonSession = ({ caller, session }: Pick<EndpointCall, 'caller' | 'session'>) => {
  if (caller.principal.type !== 'person') throw fault('person_required');
  return { caller, credential: session.credential };
};

/** Reloads the directory, so that the client's next request here finds the change; errors are ignored, as the directory polls. */
const refreshDirectory = ({ deps }: Pick<EndpointCall, 'deps'>): Promise<void> =>
  deps.directory.refresh().catch(() => undefined);

const fresh = writeEndpoint({
  path: '/sign-in/fresh',
  takesReason: false,
  name: 'person.freshSignIn',
  summary: 'Make this session’s sign-in fresh again, for 15 minutes',
  tag,
  body: freshSignInInput,
  acceptsIdempotencyKey: false,
  responses: {
    200: responseObject({
      fresh: Type.Boolean({ description: 'Fresh.' }),
      freshUntil: Type.Integer({
        description: 'Until when (milliseconds since 1970 UTC).',
        examples: [1_795_335_300_000],
      }),
      expiresAt,
    }),
  },
  example: { body: { password: 'correct horse battery' } },
  audit: { verb: 'person.freshSignIn', target: () => ({ type: 'person', id: null }) },
  check: checkFreshInput,
  handle: async (call) => {
    const session = requirePersonSession(call);
    const freshUntil = await refreshSignIn(call.deps, session, call.body.password);
    await refreshDirectory(call);
    return { status: 200, body: { fresh: true, freshUntil, expiresAt: call.session.expiresAt } };
  },
});

const noBody = strictObject({});

const end = writeEndpoint({
  path: '/sign-out',
  takesReason: false,
  name: 'person.signOut',
  summary: 'End this session, everywhere at once',
  tag,
  body: noBody,
  bodyOptional: true,
  responses: { 204: null },
  example: { body: {} },
  audit: { verb: 'person.signOut', target: () => ({ type: 'person', id: null }) },
  check: compileCheck(noBody),
  handle: async (call) => {
    await signOut(call.deps, requirePersonSession(call));
    await refreshDirectory(call);
    return { status: 204, body: undefined, cookie: null };
  },
});

export const signInEndpoints: readonly Endpoint[] = [start, fresh, end];
