/** The sample app's inboxes; their replies are appended to an outbox file. */
import type { Inbox, ReplyHandler } from '../../shared/sdk/index.ts';
import { supportDetail } from './about.ts';
import type { Shop } from './shop.ts';

export const inboxes = (shop: Shop): Readonly<Record<string, Inbox>> => {
  const send: ReplyHandler = ({ delivery, item, subject, text, actor }) =>
    shop.sendMail({ delivery, item, subject, text, by: actor.name });
  return {
    support: {
      label: 'Customer support',
      description: 'What customers write to us; answers go out by the reply address of each item.',
      states: [
        { name: 'open', kind: 'open' },
        { name: 'waiting', kind: 'waiting' },
        { name: 'closed', kind: 'closed' },
      ],
      initial: 'open',
      responseTime: 14_400_000,
      fields: {
        type: 'object',
        properties: {
          email: { type: 'string', maxLength: 320, description: 'Address that replies go to' },
          from: { type: 'string', maxLength: 200, description: 'Name of the writer' },
          plan: {
            enum: ['Free', 'Starter', 'Team', 'Business', 'Enterprise', null],
            description: 'Plan of the customer, null when not known',
          },
          channel: { enum: ['email', 'web', 'chat', 'phone'], description: 'How the customer reached us' },
          locale: { type: 'string', maxLength: 20, description: 'Language of the message, BCP 47' },
          topic: { type: 'string', maxLength: 50, description: 'What the message is about' },
          body: { type: 'string', maxLength: 20_000, description: 'The message as the customer wrote it' },
        },
      },
      reply: { via: 'app', send },
      onOccurrence: { reopen: ['closed', 'waiting'], wake: true, keep: null },
      blocks: [
        { type: 'text', title: 'Message', text: '{{item.fields.body}}' },
        {
          type: 'fields',
          title: 'Customer',
          fields: [
            { label: 'From', value: '{{item.fields.from}}', type: 'text' },
            { label: 'E-mail', value: '{{item.fields.email}}', type: 'text' },
            { label: 'Plan', value: '{{item.fields.plan}}', type: 'text' },
            { label: 'Channel', value: '{{item.fields.channel}}', type: 'text' },
          ],
        },
      ],
      suggest: [
        {
          when: {
            all: [
              { field: 'item.fields.topic', op: 'eq', value: 'outage' },
              { field: 'item.fields.plan', op: 'in', value: ['Business', 'Enterprise'] },
            ],
          },
          action: 'issue_credit',
          input: { amount: 50, reason: 'Service outage' },
          reason: 'Outage reported by a customer whose plan has an uptime promise',
        },
        {
          when: { field: 'item.fields.topic', op: 'eq', value: 'trial' },
          action: 'extend_trial',
          input: { days: 14 },
          reason: 'The customer asks about the trial',
        },
      ],
      detail: ({ item, latestOccurrence }) => supportDetail(shop, item, latestOccurrence),
    },
    errors: {
      label: 'Application errors',
      description: 'Errors of our services, one item for each kind; occurrences say how often it happened.',
      states: [
        { name: 'open', kind: 'open' },
        { name: 'investigating', kind: 'open' },
        { name: 'awaiting_release', kind: 'waiting' },
        { name: 'resolved', kind: 'closed' },
        { name: 'ignored', kind: 'closed' },
      ],
      initial: 'open',
      fields: {
        type: 'object',
        required: ['service'],
        properties: {
          service: { type: 'string', minLength: 1, maxLength: 100, description: 'Service that raised the error' },
          release: { type: 'string', maxLength: 100, description: 'Release that raised it first' },
          type: { type: 'string', maxLength: 200, description: 'Class of the error' },
          message: { type: 'string', maxLength: 4000, description: 'Message of the error' },
          level: { enum: ['warning', 'error', 'fatal'], description: 'Severity as logged' },
          url: { type: ['string', 'null'], maxLength: 2000, description: 'Route or job where it happened' },
          stack: { type: 'string', maxLength: 20_000, description: 'Stack trace, innermost frame first' },
        },
      },
      reply: null,
      onOccurrence: { reopen: ['closed'], wake: false, keep: 100 },
      blocks: [
        {
          type: 'fields',
          title: 'Where',
          fields: [
            { label: 'Service', value: '{{item.fields.service}}', type: 'text' },
            { label: 'Release', value: '{{item.fields.release}}', type: 'text' },
            { label: 'Level', value: '{{item.fields.level}}', type: 'text' },
            { label: 'Route', value: '{{item.fields.url}}', type: 'text' },
          ],
        },
        { type: 'text', title: 'Stack', text: '```\n{{item.fields.stack}}\n```' },
      ],
    },
    refunds: {
      label: 'Refund requests',
      description: 'Customers who want money back for an order; the action refund_payment gives it.',
      states: [
        { name: 'requested', kind: 'open' },
        { name: 'approved', kind: 'waiting' },
        { name: 'declined', kind: 'closed' },
        { name: 'paid', kind: 'closed' },
      ],
      initial: 'requested',
      transitions: {
        requested: ['approved', 'declined'],
        approved: ['paid', 'declined'],
        declined: ['requested'],
        paid: [],
      },
      responseTime: 86_400_000,
      fields: {
        type: 'object',
        required: ['order', 'amount', 'currency'],
        properties: {
          order: { type: 'string', minLength: 1, maxLength: 200, description: 'Id of the order' },
          invoice: { type: 'string', maxLength: 50, description: 'Number of the invoice' },
          amount: {
            type: 'number',
            format: 'money',
            currency: { field: 'currency' },
            minimum: 0,
            description: 'Amount asked for',
          },
          currency: { type: 'string', minLength: 3, maxLength: 3, description: 'ISO 4217 code' },
          reason: {
            enum: ['duplicate', 'unused', 'downgrade', 'outage', 'fraud', 'other'],
            description: 'Why the customer asks',
          },
          method: { type: 'string', maxLength: 100, description: 'How it was paid' },
          email: { type: 'string', maxLength: 320, description: 'Address that replies go to' },
          comment: { type: 'string', maxLength: 5000, description: 'What the customer wrote' },
        },
      },
      reply: { via: 'app', send },
      onOccurrence: { reopen: [], wake: false },
      blocks: [
        {
          type: 'fields',
          title: 'Request',
          fields: [
            { label: 'Order', value: '{{item.fields.order}}', type: 'text' },
            { label: 'Invoice', value: '{{item.fields.invoice}}', type: 'text' },
            { label: 'Amount', value: '{{item.fields.amount}} {{item.fields.currency}}', type: 'money' },
            { label: 'Reason', value: '{{item.fields.reason}}', type: 'text' },
            { label: 'Paid by', value: '{{item.fields.method}}', type: 'text' },
          ],
        },
        { type: 'text', title: 'Comment', text: '{{item.fields.comment}}' },
      ],
      suggest: [
        {
          when: {
            all: [
              { field: 'item.state', op: 'eq', value: 'approved' },
              { field: 'record.fields.status', op: 'in', value: ['paid', 'past_due'] },
            ],
          },
          action: 'refund_payment',
          input: { amount: '{{item.fields.amount}}', reason: '{{item.fields.reason}}' },
          reason: 'Approved and not paid back yet',
        },
        {
          when: { field: 'item.fields.reason', op: 'eq', value: 'other' },
          action: 'resend_receipt',
          input: { email: '{{item.fields.email}}' },
          reason: 'Often only the receipt was missing',
        },
      ],
    },
    signups: {
      label: 'Sign-ups to review',
      states: [
        { name: 'review', kind: 'open' },
        { name: 'contacted', kind: 'waiting' },
        { name: 'accepted', kind: 'closed' },
        { name: 'rejected', kind: 'closed' },
      ],
      initial: 'review',
      fields: {
        type: 'object',
        required: ['email'],
        properties: {
          email: { type: 'string', maxLength: 320, description: 'Address that signed up' },
          name: { type: 'string', maxLength: 200, description: 'Name that was given' },
          company: { type: 'string', maxLength: 200, description: 'Company that was given' },
          plan: { enum: ['Free', 'Starter', 'Team', 'Business', 'Enterprise'], description: 'Plan that was picked' },
          seats: { type: 'integer', minimum: 1, description: 'Seats that were picked' },
          country: { type: 'string', minLength: 2, maxLength: 2, description: 'ISO 3166 code' },
          address: { type: 'string', maxLength: 45, description: 'Network address of the sign-up' },
          riskScore: { type: 'integer', minimum: 0, maximum: 100, description: '0 harmless to 100 certain fraud' },
        },
      },
      reply: { via: 'app', send },
      onOccurrence: { reopen: ['waiting'], wake: true },
      blocks: [
        {
          type: 'fields',
          title: 'Sign-up',
          fields: [
            { label: 'Name', value: '{{item.fields.name}}', type: 'text' },
            { label: 'E-mail', value: '{{item.fields.email}}', type: 'text' },
            { label: 'Company', value: '{{item.fields.company}}', type: 'text' },
            { label: 'Plan', value: '{{item.fields.plan}}', type: 'text' },
            { label: 'Seats', value: '{{item.fields.seats}}', type: 'number' },
            { label: 'Risk', value: '{{item.fields.riskScore}}', type: 'number' },
          ],
        },
      ],
    },
    abuse: {
      label: 'Abuse reports',
      states: [
        { name: 'reported', kind: 'open' },
        { name: 'investigating', kind: 'open' },
        { name: 'escalated', kind: 'waiting' },
        { name: 'dismissed', kind: 'closed' },
        { name: 'actioned', kind: 'closed' },
      ],
      initial: 'reported',
      transitions: {
        reported: ['investigating', 'escalated', 'dismissed', 'actioned'],
        investigating: ['escalated', 'dismissed', 'actioned'],
        escalated: ['investigating', 'dismissed', 'actioned', 'reported'],
        dismissed: ['reported'],
        actioned: ['reported'],
      },
      responseTime: 28_800_000,
      fields: {
        type: 'object',
        required: ['category'],
        properties: {
          category: {
            enum: ['phishing', 'spam', 'malware', 'copyright', 'harassment', 'credential-stuffing', 'crypto-mining'],
            description: 'Kind of abuse',
          },
          severity: { enum: ['low', 'medium', 'high'], description: 'As the reporter or our scanner rates it' },
          target: { type: 'string', maxLength: 2000, description: 'Address of what was reported' },
          email: { type: 'string', maxLength: 320, description: 'Address of the reporter' },
          source: { enum: ['form', 'email', 'scanner', 'partner'], description: 'Where the report came from' },
          details: { type: 'string', maxLength: 10_000, description: 'What was reported' },
        },
      },
      reply: { via: 'app', send },
      onOccurrence: { reopen: ['closed', 'waiting'], wake: false, keep: 100 },
      blocks: [
        { type: 'text', title: 'Report', text: '{{item.fields.details}}' },
        {
          type: 'fields',
          title: 'About',
          fields: [
            { label: 'Category', value: '{{item.fields.category}}', type: 'text' },
            { label: 'Severity', value: '{{item.fields.severity}}', type: 'text' },
            { label: 'Target', value: '{{item.fields.target}}', type: 'text' },
            { label: 'Reporter', value: '{{item.fields.email}}', type: 'text' },
          ],
        },
      ],
      suggest: [
        {
          when: {
            all: [
              { field: 'item.fields.category', op: 'in', value: ['phishing', 'malware'] },
              { field: 'item.fields.severity', op: 'eq', value: 'high' },
            ],
          },
          action: 'suspend_customer',
          input: { reason: '{{item.fields.category}}' },
          reason: 'Severe abuse: suspend first, ask later',
        },
      ],
    },
  };
};
