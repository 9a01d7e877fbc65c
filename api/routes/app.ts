/** The response to a GET without an upgrade at the address of the app link. */
import { fault } from '../../shared/catalogue/errors.ts';
import { strictObject } from '../../shared/platform/json/schema.ts';
import { readEndpoint, type Endpoint } from '../endpoint.ts';

const app: Endpoint = {
  ...readEndpoint({
    path: '/app',
    name: 'app.open',
    summary: 'The link of the customer’s app; open it as a WebSocket with an app key',
    tag: 'App',
    query: strictObject({}),
    responses: { 101: null },
    example: {},
    handle: ({ caller: { principal } }) =>
      Promise.reject(
        principal.type === 'app'
          ? fault('upgrade_required', undefined, { headers: { upgrade: 'websocket', connection: 'upgrade' } })
          : fault('forbidden'),
      ),
  }),
  allowsApp: true,
};

export const appEndpoints: readonly Endpoint[] = [app];
