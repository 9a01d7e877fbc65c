/** The sample app's resources: customers and orders are pushed to the service, payments and subscriptions are served by the app. */
import type { Resource } from '../../shared/sdk/index.ts';
import { customerActions, paymentActions, standing } from './about.ts';
import { served } from './served.ts';
import type { Shop } from './shop.ts';

export const resources = (shop: Shop): Readonly<Record<string, Resource>> => ({
  customer: {
    label: 'Customers',
    description: 'Companies that have an account with us.',
    source: 'stored',
    fields: [
      { name: 'email', label: 'E-mail', type: 'text', filter: true, sort: false, search: true },
      { name: 'company', label: 'Company', type: 'text', filter: true, sort: true, search: true },
      { name: 'contact', label: 'Contact', type: 'text', filter: false, sort: true, search: true },
      { name: 'plan', label: 'Plan', type: 'text', filter: true, sort: true, search: false },
      { name: 'seats', label: 'Seats', type: 'number', filter: true, sort: true, search: false },
      {
        name: 'mrr',
        label: 'Monthly revenue',
        type: 'money',
        currency: { field: 'currency' },
        filter: true,
        sort: true,
        search: false,
      },
      { name: 'currency', label: 'Currency', type: 'text', filter: true, sort: false, search: false },
      { name: 'country', label: 'Country', type: 'text', filter: true, sort: true, search: false },
      { name: 'status', label: 'Status', type: 'text', filter: true, sort: true, search: false },
      { name: 'vip', label: 'VIP', type: 'boolean', filter: true, sort: false, search: false },
      { name: 'since', label: 'Customer since', type: 'time', filter: true, sort: true, search: false },
    ],
    relations: [
      { name: 'orders', resource: 'order', field: 'customer' },
      { name: 'payments', resource: 'payment', field: 'customer' },
      { name: 'subscriptions', resource: 'subscription', field: 'customer' },
    ],
    blocks: [
      {
        type: 'fields',
        title: 'Account',
        fields: [
          { label: 'Contact', value: '{{record.fields.contact}}', type: 'text' },
          { label: 'E-mail', value: '{{record.fields.email}}', type: 'text' },
          { label: 'Plan', value: '{{record.fields.plan}}', type: 'text' },
          { label: 'Seats', value: '{{record.fields.seats}}', type: 'number' },
          { label: 'Customer since', value: '{{record.fields.since}}', type: 'time' },
        ],
      },
    ],
    detail: ({ id }) => ({ blocks: standing(shop, id) }),
    available: ({ ids }) => customerActions(shop, ids),
  },
  order: {
    label: 'Orders',
    description: 'What customers bought, with the payment that it was paid by.',
    source: 'stored',
    fields: [
      { name: 'customer', label: 'Customer', type: 'text', filter: true, sort: false, search: false },
      { name: 'email', label: 'E-mail', type: 'text', filter: true, sort: false, search: true },
      { name: 'invoice', label: 'Invoice', type: 'text', filter: true, sort: true, search: true },
      { name: 'plan', label: 'Plan', type: 'text', filter: true, sort: true, search: false },
      { name: 'seats', label: 'Seats', type: 'number', filter: true, sort: true, search: false },
      { name: 'interval', label: 'Billed', type: 'text', filter: true, sort: false, search: false },
      {
        name: 'total',
        label: 'Total',
        type: 'money',
        currency: { field: 'currency' },
        filter: true,
        sort: true,
        search: false,
      },
      { name: 'currency', label: 'Currency', type: 'text', filter: true, sort: false, search: false },
      { name: 'status', label: 'Status', type: 'text', filter: true, sort: true, search: false },
      { name: 'payment', label: 'Payment', type: 'text', filter: true, sort: false, search: false },
      { name: 'placedAt', label: 'Placed', type: 'time', filter: true, sort: true, search: false },
    ],
    relations: [
      { name: 'customer', resource: 'customer', key: 'customer' },
      { name: 'payment', resource: 'payment', key: 'payment' },
    ],
    blocks: [
      {
        type: 'fields',
        title: 'Order',
        fields: [
          { label: 'Invoice', value: '{{record.fields.invoice}}', type: 'text' },
          { label: 'Total', value: '{{record.fields.total}} {{record.fields.currency}}', type: 'money' },
          { label: 'Status', value: '{{record.fields.status}}', type: 'text' },
          { label: 'Placed', value: '{{record.fields.placedAt}}', type: 'time' },
        ],
      },
    ],
  },
  payment: {
    label: 'Payments',
    source: 'app',
    fields: [
      { name: 'customer', label: 'Customer', type: 'text', filter: true, sort: false, search: false },
      { name: 'order', label: 'Order', type: 'text', filter: true, sort: false, search: true },
      {
        name: 'amount',
        label: 'Amount',
        type: 'money',
        currency: { field: 'currency' },
        filter: true,
        sort: true,
        search: false,
      },
      { name: 'currency', label: 'Currency', type: 'text', filter: true, sort: false, search: false },
      { name: 'method', label: 'Method', type: 'text', filter: true, sort: false, search: true },
      { name: 'status', label: 'Status', type: 'text', filter: true, sort: true, search: false },
      { name: 'capturedAt', label: 'Captured', type: 'time', filter: true, sort: true, search: false },
    ],
    relations: [
      { name: 'customer', resource: 'customer', key: 'customer' },
      { name: 'order', resource: 'order', key: 'order' },
    ],
    blocks: [],
    ...served(shop, 'payment'),
    available: ({ ids }) => paymentActions(shop, ids),
  },
  subscription: {
    label: 'Subscriptions',
    source: 'app',
    fields: [
      { name: 'customer', label: 'Customer', type: 'text', filter: true, sort: false, search: false },
      { name: 'plan', label: 'Plan', type: 'text', filter: true, sort: true, search: true },
      { name: 'seats', label: 'Seats', type: 'number', filter: true, sort: true, search: false },
      { name: 'status', label: 'Status', type: 'text', filter: true, sort: true, search: false },
      { name: 'renewsAt', label: 'Renews', type: 'time', filter: true, sort: true, search: false },
    ],
    relations: [{ name: 'customer', resource: 'customer', key: 'customer' }],
    blocks: [],
    ...served(shop, 'subscription'),
  },
});
