/** The metadata of this service as a resource that tokens protect (RFC 9728): how a client gets one. Used by middleware/caller.ts and middleware/pages.ts. */
import type { Config } from '../../shared/platform/config/config.ts';
import type { ApiResponse } from './apiResponse.ts';

const wellKnown = '/.well-known/oauth-protected-resource';
/** Environments’ names, and what a path may have in their place: it need not exist. */
const resourcePath = /^\/\.well-known\/oauth-protected-resource(\/api\/env\/[A-Za-z0-9._~-]{1,100}(?:\/mcp)?)?\/?$/;

const plainName = /^[A-Za-z0-9._~-]{1,100}$/;

/** Returns the address of the metadata for the tools of an environment, which stands in quotes of a header. */
export const protectedResourceUrl = ({ publicUrl }: Config, environment: string): string => {
  const { origin, pathname } = new URL(publicUrl);
  const path = plainName.test(environment) ? `${pathname.replace(/\/$/, '')}/api/env/${environment}/mcp` : '';
  return `${origin}${wellKnown}${path}`;
};

/** Returns the metadata document of a path of the host; undefined for any other path. It is the same whether or not the environment exists. */
export const protectedResourcePage = ({ publicUrl }: Config, path: string): ApiResponse | undefined => {
  const found = resourcePath.exec(path);
  if (found === null) return undefined;
  return {
    status: 200,
    body: {
      resource: `${publicUrl}${found[1] ?? ''}`,
      resource_name: 'Console API',
      bearer_methods_supported: ['header'],
      resource_documentation: `${publicUrl}/docs`,
      // There is no authorization server: tokens are made by people.
      token_instructions:
        'Ask a person who manages the settings of the environment for an agent: POST {base_url}/settings/agents, or `npm run admin -- agent create NAME --role ROLE --environment ENVIRONMENT`, prints its token once. Send it as "authorization: Bearer cagt_…" with every request.',
    },
    headers: { 'access-control-allow-origin': '*' },
  };
};
