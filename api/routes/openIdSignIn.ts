/** The endpoints that say how people sign in, and that send them to the OpenID Connect provider. */
import { SignInRefusal } from '../../shared/accounts/openId/problems.ts';
import { beginSignIn } from '../../shared/accounts/openId/signInByProvider.ts';
import { countRefusedSignIn } from '../../shared/accounts/signInThrottle.ts';
import { fault, invalidAt } from '../../shared/catalogue/errors.ts';
import { nullable, responseObject, strictObject, Type } from '../../shared/platform/json/schema.ts';
import { publicReadEndpoint, type Endpoint } from '../endpoint.ts';
import { homeOf, pageAddress, toOwnPage } from '../http/returnTo.ts';

const tag = 'Sign-in';

const methods = publicReadEndpoint({
  path: '/sign-in/methods',
  name: 'signIn.methods',
  summary: 'How people sign in; no token is needed',
  tag,
  query: strictObject({}),
  responses: {
    200: responseObject({
      password: Type.Boolean({ description: 'By password.' }),
      reset: Type.Boolean({ description: 'A link to set a new password is mailed.' }),
      oidc: nullable(
        responseObject(
          { label: Type.String({ description: 'Of the button.' }) },
          { description: 'By OpenID Connect.' },
        ),
      ),
    }),
  },
  example: {},
  handle: ({ deps: { config } }) =>
    Promise.resolve({
      status: 200,
      body: {
        password: config.passwordSignIn,
        reset: config.passwordSignIn && config.smtpUrl !== null,
        oidc: config.openId === null ? null : { label: config.openId.label },
      },
    }),
});

const start = publicReadEndpoint({
  path: '/sign-in/oidc',
  name: 'signIn.oidc',
  summary: 'Send a browser to the OpenID Connect provider; no token is needed',
  tag,
  query: strictObject({
    returnTo: Type.Optional(Type.String({ maxLength: 1000, description: 'Path of a console page.' })),
    fresh: Type.Optional(Type.Literal('true', { description: 'The cookie’s session becomes fresh.' })),
  }),
  responses: { 303: null },
  example: {},
  handle: async ({ deps, query: { returnTo, fresh }, environment, requestId, session }) => {
    const { openId, config, log } = deps;
    if (openId === null) throw fault('not_found');
    const page = toOwnPage(config.publicUrl, returnTo ?? homeOf(config.publicUrl, environment));
    if (page === null) throw invalidAt('returnTo', 'must be the path of a page of this console');
    const held = fresh === 'true' ? await session() : null;
    if (fresh === 'true' && held === null) throw fault('unauthorized');
    try {
      const { url, flow } = await beginSignIn(deps, openId, {
        environment,
        returnTo: page,
        session: held?.credential ?? null,
        demand: held === null ? 'any' : 'new',
      });
      return { status: 303, body: undefined, headers: { location: url }, flowCookie: flow };
    } catch (error) {
      if (!(error instanceof SignInRefusal)) throw error;
      countRefusedSignIn(error.problem);
      log.warn({ requestId, problem: error.problem, why: error.why }, 'a sign-in could not begin');
      return {
        status: 303,
        body: undefined,
        headers: { location: pageAddress(config.publicUrl, page, error.problem) },
        flowCookie: null,
      };
    }
  },
});

export const openIdSignInEndpoints: readonly Endpoint[] = [methods, start];
