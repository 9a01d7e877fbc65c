/** The sample app's pages: between them every type of block and every source. */
import type { Page } from '../../shared/sdk/index.ts';
import { standing } from './about.ts';
import type { Shop } from './shop.ts';

const dayMs = 86_400_000;

/** New customers of the last two weeks, by day. */
const signups = (shop: Shop): [string, number][] =>
  Array.from({ length: 14 }, (_, n) => {
    const from = shop.since - (14 - n) * dayMs;
    const joined = shop
      .all('customer')
      .filter(({ fields }) => Number(fields['since']) >= from && Number(fields['since']) < from + dayMs);
    return [new Date(from).toISOString().slice(0, 10), joined.length];
  });

const failedPayments = (shop: Shop): number =>
  shop.all('payment').filter(({ fields }) => fields['status'] === 'failed').length;

/** Made up, and the same each time. */
const usage = (customer: string): [string, number][] =>
  ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'].map((day, n) => [
    day,
    ([...customer].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), n + 7) % 9_000) + 1_000,
  ]);

export const pages = (shop: Shop): Readonly<Record<string, Page>> => ({
  overview: {
    label: 'Overview',
    params: [],
    blocks: [
      {
        type: 'stat',
        title: 'Overdue in support',
        source: 'counts',
        query: { inbox: 'support', count: 'activeOverdue' },
      },
      {
        type: 'stat',
        title: 'Unassigned in support',
        source: 'counts',
        query: { inbox: 'support', count: 'activeUnassigned' },
      },
      { type: 'items', title: 'Most urgent', source: 'items', query: { view: 'overdue', limit: 10 } },
      {
        type: 'chart',
        title: 'Sign-ups per day',
        kind: 'line',
        load: () => ({ series: [{ name: 'Sign-ups', points: signups(shop) }] }),
      },
      {
        type: 'text',
        title: 'On call',
        text: '**Platform**: rota A until Friday. Page through the *reliability* page first.',
      },
      {
        type: 'link',
        title: 'Status page',
        url: 'https://status.northwind.example',
        label: 'status.northwind.example',
      },
    ],
  },
  reliability: {
    label: 'Reliability',
    params: [],
    blocks: [
      { type: 'stat', title: 'Open errors', source: 'counts', query: { inbox: 'errors', count: 'open' } },
      { type: 'items', title: 'Regressions', source: 'items', query: { view: 'regressions', limit: 10 } },
      { type: 'table', title: 'Flags', source: 'flags' },
      {
        type: 'stat',
        title: 'Failed payments',
        load: () => ({ value: failedPayments(shop), unit: 'payments', change: null }),
      },
    ],
  },
  customer: {
    label: 'Customer',
    params: [{ name: 'customer', required: true }],
    blocks: [
      {
        type: 'record',
        title: 'Customer',
        source: 'records',
        query: { resource: 'customer', id: '{{params.customer}}' },
      },
      {
        type: 'table',
        title: 'Orders',
        source: 'records',
        query: { resource: 'order', filters: { customer: '{{params.customer}}' }, sort: '-placedAt', limit: 20 },
        columns: [
          { name: 'invoice', label: 'Invoice', type: 'text' },
          { name: 'total', label: 'Total', type: 'money' },
          { name: 'status', label: 'Status', type: 'text' },
        ],
      },
      {
        type: 'fields',
        title: 'Standing',
        load: ({ params }) => standing(shop, params['customer'] ?? '')[0] ?? { fields: [] },
      },
      {
        type: 'chart',
        title: 'Usage',
        kind: 'bar',
        load: ({ params }) => ({ series: [{ name: 'Requests', points: usage(params['customer'] ?? '') }] }),
      },
      {
        type: 'actions',
        title: 'Do',
        actions: [
          { action: 'issue_credit', label: 'Issue credit', record: '{{params.customer}}', input: {} },
          {
            action: 'export_customer_data',
            label: 'Export data',
            record: '{{params.customer}}',
            input: { format: 'csv' },
          },
        ],
      },
    ],
  },
});
