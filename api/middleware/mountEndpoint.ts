/** Compiles an endpoint's row once; used by routing.ts and api/mcp/serveEndpoint.ts. */
import { strictObject } from '../../shared/platform/core/schema.ts';
import type { Endpoint } from '../endpoint.ts';
import { createQueryParser } from '../http/queryParser.ts';

export interface MountedEndpoint {
  readonly endpoint: Endpoint;
  readonly parseQuery: ReturnType<typeof createQueryParser>;
}

const noParameters = strictObject({});

export const mountEndpoint = (endpoint: Endpoint): MountedEndpoint => ({
  endpoint,
  parseQuery: createQueryParser(endpoint.query ?? noParameters),
});
