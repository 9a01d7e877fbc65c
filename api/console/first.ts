/**
 * The console's smallest script, no module, so that it runs before the others are compiled: asks for what every page of an
 * environment needs.
 */
import { publicBase } from './wire/base.ts';
import { askEarly } from './wire/early.ts';

const environment = /^\/env\/([^/]+)/.exec(location.pathname.slice(publicBase.length))?.[1];
if (environment !== undefined) {
  const addressOf = (path: string): string => `${publicBase}/api/env/${environment}${path}`;
  askEarly(addressOf('/me'), ['/inboxes?limit=200', '/views?limit=200', '/counts'].map(addressOf));
}
