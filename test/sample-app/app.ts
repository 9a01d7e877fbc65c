/** The sample app: Northwind Cloud, a made-up company whose service is watched and run through the console. */
import { defineApp, type App } from '../../shared/sdk/index.ts';
import { cancel, confirmCompany, credit, refund, requireExport, retry, suspend } from './effects.ts';
import { flags } from './flags.ts';
import { inboxes } from './inboxes.ts';
import { pages } from './pages.ts';
import { resources } from './resources.ts';
import type { Shop } from './shop.ts';
import { inSteps } from './steps.ts';
import { triage } from './triage.ts';
import { views } from './views.ts';

export const sampleApp = (shop: Shop): App =>
  defineApp({
    resources: resources(shop),
    inboxes: inboxes(shop),
    views,
    pages: pages(shop),
    flags,
    triage,
    actions: {
      refund_payment: {
        label: 'Refund payment',
        description:
          'Gives a customer the money of an order back, all of it or a part. The bank takes three to five days, and a refund can’t be taken back.',
        resource: 'order',
        reversible: false,
        input: {
          type: 'object',
          additionalProperties: false,
          required: ['reason'],
          properties: {
            amount: {
              type: 'number',
              format: 'money',
              currency: { field: 'currency' },
              exclusiveMinimum: 0,
              description: 'Absent: all of it',
            },
            reason: {
              enum: ['duplicate', 'unused', 'downgrade', 'outage', 'fraud', 'other'],
              'x-labels': {
                duplicate: 'Charged twice',
                unused: 'Not used',
                downgrade: 'Plan was lowered',
                outage: 'Outage',
                fraud: 'Fraud',
                other: 'Something else',
              },
              description: 'Shown to the customer’s bank',
            },
          },
        },
        danger: 'high',
        approval: true,
        offlineExpiry: 86_400_000,
        when: {
          if: {
            all: [
              { field: 'record.fields.status', op: 'in', value: ['paid', 'past_due'] },
              {
                any: [
                  { field: 'input.amount', op: 'exists', value: false },
                  { field: 'input.amount', op: 'lte', path: 'record.fields.total' },
                ],
              },
            ],
          },
          otherwise: 'Only orders that are paid or past due can be refunded, and no more than their total.',
        },
        run: (call) => shop.act(call, () => refund(shop, call.record?.id, call.input)),
      },
      resend_receipt: {
        label: 'Resend receipt',
        resource: 'order',
        input: {
          type: 'object',
          additionalProperties: false,
          required: ['email'],
          properties: { email: { type: 'string', format: 'email', maxLength: 320, description: 'Where to send it' } },
        },
        repeatable: true,
        offlineExpiry: 86_400_000,
        when: { field: 'record.fields.status', op: 'ne', value: 'draft' },
        defaults: { email: '{{record.fields.email}}' },
        run: (call) =>
          shop.act(call, () => ({
            message: `Sent the receipt of ${call.record?.title ?? ''} to ${call.input.email}.`,
          })),
      },
      issue_credit: {
        label: 'Issue credit',
        description: 'Credits an amount, which the customer’s next invoice takes off.',
        reversible: true,
        resource: 'customer',
        input: {
          type: 'object',
          additionalProperties: false,
          required: ['amount', 'reason'],
          properties: {
            amount: {
              type: 'number',
              format: 'money',
              currency: { field: 'currency' },
              exclusiveMinimum: 0,
              maximum: 1000,
            },
            reason: { type: 'string', minLength: 1, maxLength: 500, description: 'Shown on the next invoice' },
          },
        },
        danger: 'low',
        run: (call) => shop.act(call, () => credit(shop, call.record?.id, call.input.amount)),
      },
      extend_trial: {
        label: 'Extend trial',
        resource: 'customer',
        input: {
          type: 'object',
          additionalProperties: false,
          properties: { days: { type: 'integer', minimum: 1, maximum: 60, default: 14, description: 'Days to add' } },
        },
        when: {
          if: { field: 'record.fields.status', op: 'eq', value: 'trial' },
          otherwise: 'Only a customer on trial has a trial to extend.',
        },
        run: (call) =>
          shop.act(call, () => ({
            message: `Extended by ${String(call.input.days ?? 14)} days.`,
            changes: [
              { resource: 'customer', id: call.record?.id ?? '', fields: { trialDays: call.input.days ?? 14 } },
            ],
          })),
      },
      suspend_customer: {
        label: 'Suspend customer',
        description: 'Locks a customer out until somebody lifts it; nothing is deleted.',
        reversible: true,
        resource: 'customer',
        input: {
          type: 'object',
          additionalProperties: false,
          required: ['reason'],
          properties: {
            reason: { type: 'string', minLength: 1, maxLength: 500, description: 'Kept in the customer’s file' },
          },
        },
        danger: 'high',
        repeatable: true,
        when: {
          if: { field: 'record.fields.status', op: 'ne', value: 'suspended' },
          otherwise: 'The customer is suspended already.',
        },
        run: (call) => shop.act(call, () => suspend(shop, call.record?.id, call.input.reason)),
      },
      export_customer_data: {
        label: 'Export customer data',
        resource: 'customer',
        input: {
          type: 'object',
          additionalProperties: false,
          properties: { format: { enum: ['json', 'csv'], default: 'json', description: 'Format of the archive' } },
        },
        background: true,
        repeatable: true,
        offlineExpiry: 604_800_000,
        run: async (call) => {
          requireExport(shop, call.record?.id);
          await inSteps(shop, call, 'Collecting');
          const url = `https://exports.northwind.example/${call.run}.${call.input.format ?? 'json'}`;
          return shop.act(call, () => ({
            message: 'The archive is ready.',
            blocks: [{ type: 'link', title: 'Archive', url, label: 'Download' }],
          }));
        },
      },
      delete_account: {
        label: 'Delete account',
        description: 'Deletes a customer with everything that we keep about them.',
        reversible: false,
        resource: 'customer',
        input: {
          type: 'object',
          additionalProperties: false,
          required: ['company'],
          properties: {
            company: { type: 'string', minLength: 1, maxLength: 200, description: 'The company’s name, typed again' },
          },
        },
        danger: 'high',
        approval: true,
        freshSignIn: true,
        background: true,
        offline: 'refuse',
        run: async (call) => {
          confirmCompany(shop, call.record?.id, call.input.company);
          await inSteps(shop, call, 'Deleting');
          return shop.act(call, () => ({
            message: `Deleted ${call.input.company}.`,
            changes: [{ resource: 'customer', id: call.record?.id ?? '', deleted: true }],
          }));
        },
      },
      cancel_subscription: {
        label: 'Cancel subscription',
        resource: 'subscription',
        input: {
          type: 'object',
          additionalProperties: false,
          properties: { at: { enum: ['now', 'period_end'], default: 'period_end', description: 'When it ends' } },
        },
        danger: 'high',
        repeatable: true,
        when: { field: 'record.fields.status', op: 'in', value: ['active', 'trialing', 'past_due'] },
        run: (call) => shop.act(call, () => cancel(shop, call.record?.id, call.input.at ?? 'period_end')),
      },
      retry_payment: {
        label: 'Retry payment',
        resource: 'payment',
        input: { type: 'object', additionalProperties: false, properties: {} },
        danger: 'low',
        offline: 'refuse',
        when: { field: 'record.fields.status', op: 'eq', value: 'failed' },
        run: (call) => shop.act(call, () => retry(shop, call.record?.id)),
      },
      reindex_search: {
        label: 'Rebuild search index',
        input: {
          type: 'object',
          additionalProperties: false,
          properties: {
            region: {
              enum: ['eu-central', 'us-east', 'ap-south'],
              default: 'eu-central',
              description: 'Region to rebuild',
            },
          },
        },
        background: true,
        repeatable: true,
        timeout: 7_200_000,
        run: async (call) => {
          await inSteps(shop, call, 'Indexing');
          return shop.act(call, () => ({ message: `The index of ${call.input.region ?? 'eu-central'} is new.` }));
        },
      },
      rotate_api_keys: {
        label: 'Rotate API keys',
        resource: 'customer',
        danger: 'low',
        freshSignIn: true,
        run: (call) =>
          shop.act(call, () => ({
            message: `The keys of ${call.record?.title ?? ''} are new; the old ones hold for a day.`,
          })),
      },
      send_digest: {
        label: 'Send the daily digest',
        input: {
          type: 'object',
          additionalProperties: false,
          required: ['to'],
          properties: { to: { type: 'string', format: 'email', maxLength: 320, description: 'Where to send it' } },
        },
        run: (call) => shop.act(call, () => ({ message: `Sent the digest to ${call.input.to}.` })),
      },
    },
  });
