/** The sample app's feature flags. */
import type { Flag } from '../../shared/sdk/index.ts';

export const flags: Readonly<Record<string, Flag>> = {
  new_checkout: {
    kind: 'boolean',
    default: false,
    resource: 'customer',
    approval: false,
    danger: null,
    description: 'One-page checkout in the web shop',
  },
  ai_summaries: {
    kind: 'boolean',
    default: false,
    resource: 'customer',
    approval: false,
    danger: null,
    description: 'Summaries of long dashboards',
  },
  usage_billing: {
    kind: 'boolean',
    default: false,
    resource: 'customer',
    approval: true,
    danger: 'high',
    description: 'Bills by usage instead of seats',
  },
  maintenance_mode: {
    kind: 'boolean',
    default: false,
    approval: true,
    danger: 'high',
    description: 'Shows the maintenance page to everyone',
  },
  search_backend: {
    kind: 'string',
    default: 'postgres',
    resource: 'customer',
    approval: false,
    danger: 'low',
    description: 'Which search answers: postgres or vector',
  },
  api_requests_per_minute: {
    kind: 'number',
    default: 600,
    resource: 'customer',
    approval: false,
    danger: 'low',
    description: 'Limit of the public API per customer',
  },
  shop_banner: {
    kind: 'json',
    default: { text: '', link: null },
    approval: false,
    danger: null,
    description: 'Banner on top of the web shop',
  },
};
