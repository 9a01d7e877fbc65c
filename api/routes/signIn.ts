/** The endpoints by which people sign in, keep their sign-in fresh, and sign out. */
import { requirePerson } from '../../shared/accounts/access/principal.ts';
import type { LinkKind } from '../../shared/accounts/passwordLinks.ts';
import { redeemLink, requestReset } from '../../shared/accounts/passwordReset.ts';
import { linkInput, freshSignInInput, resetInput, signInInput } from '../../shared/accounts/schema.ts';
import { personView } from '../../shared/accounts/settings/people.ts';
import { refreshSignIn, signIn, signOut, type SignInResult } from '../../shared/accounts/signIn.ts';
import { responseObject, strictObject, Type } from '../../shared/platform/json/schema.ts';
import { compileCheck } from '../../shared/platform/json/validate.ts';
import { publicEndpoint, writeEndpoint, type Endpoint, type EndpointCall } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';

const checkFreshInput = compileCheck(freshSignInInput);
const checkSignInInput = compileCheck(signInInput);
const checkLinkInput = compileCheck(linkInput);
const checkResetInput = compileCheck(resetInput);

const tag = 'Sign-in';

const expiresAt = Type.Integer({
  description: 'When the session ends (milliseconds since 1970 UTC).',
  examples: [1_795_377_600_000],
});

const sessionResponse = responseObject({
  token: Type.String({
    pattern: '^cper_',
    description: 'The session’s token.',
    examples: ['cper_Rk9PQkFSQkFaUVVYUkVET0JTQ1VSRUQ'],
  }),
  person: personView,
  environments: Type.Array(Type.String(), { description: 'Names of their environments.', examples: [['demo']] }),
  expiresAt,
});

const toResponse = ({ browser, ...signedIn }: SignInResult): ApiResponse => ({
  status: 200,
  body: signedIn,
  cookie: signedIn.token,
  browserCookie: browser,
});

const start = publicEndpoint({
  path: '/sign-in',
  name: 'person.signIn',
  summary: 'Sign a person in: a token for 12 hours, also set as a cookie; no token is needed',
  tag,
  body: signInInput,
  responses: { 200: sessionResponse },
  example: { body: { email: 'ana@example.com', password: 'correct horse battery' } },
  audit: { verb: 'person.signIn', target: () => ({ type: 'person', id: null }) },
  check: checkSignInInput,
  handle: async ({ deps, body, ...call }) => toResponse(await signIn(deps, { ...body, ...call })),
});

/** Reloads the directory, so that the client's next request here finds the change; errors are ignored, as the directory polls. */
const refreshDirectory = ({ deps }: Pick<EndpointCall, 'deps'>): Promise<void> =>
  deps.directory.refresh().catch(() => undefined);

const nobody = () => ({ type: 'person', id: null });

const redeem = (kind: LinkKind, path: string, summary: string): Endpoint =>
  publicEndpoint({
    path,
    name: `person.${kind}.redeem`,
    summary,
    tag,
    body: linkInput,
    responses: { 200: sessionResponse },
    example: { body: { token: 'Q09OU09MRVRPS0VOUkVTRVRMSU5L', password: 'correct horse battery' } },
    audit: { verb: 'person.password', target: nobody },
    check: checkLinkInput,
    handle: async ({ deps, body, ...call }) => {
      const signedIn = await redeemLink(deps, kind, { ...body, ...call });
      await refreshDirectory({ deps });
      return toResponse(signedIn);
    },
  });

const reset = publicEndpoint({
  path: '/sign-in/reset',
  name: 'person.reset',
  summary: 'Mail a link by which a person sets a new password, if there is such a person; no token is needed',
  tag,
  body: resetInput,
  responses: { 202: responseObject({}) },
  example: { body: { email: 'ana@example.com' } },
  audit: { verb: 'person.reset', target: nobody },
  check: checkResetInput,
  handle: async ({ deps, body, ...call }) => {
    await requestReset(deps, { ...body, ...call });
    return { status: 202, body: {} };
  },
});

const ownSession = ({ caller, session }: Pick<EndpointCall, 'caller' | 'session'>) => ({
  caller,
  credential: session.credential,
});

const fresh = writeEndpoint({
  path: '/sign-in/fresh',
  takesReason: false,
  name: 'person.freshSignIn',
  summary: 'Make this session’s sign-in fresh again, for 15 minutes',
  tag,
  body: freshSignInInput,
  idempotencyKey: 'refused',
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
  // Agents never sign in.
  authorize: requirePerson,
  handle: async (call) => {
    const freshUntil = await refreshSignIn(call.deps, ownSession(call), call.body.password);
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
  authorize: requirePerson,
  handle: async (call) => {
    await signOut(call.deps, ownSession(call));
    await refreshDirectory(call);
    return { status: 204, body: undefined, cookie: null };
  },
});

export const signInEndpoints: readonly Endpoint[] = [
  start,
  redeem('invitation', '/sign-in/invitation', 'Choose the password of an invitation, and sign in; no token is needed'),
  reset,
  redeem('reset', '/sign-in/reset/confirm', 'Choose a new password by a link, and sign in; no token is needed'),
  fresh,
  end,
];
