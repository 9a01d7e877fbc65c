/** An app with orders of customers and refunds that a person approves. For the tests of the console that decide about them. */
import { testManifest } from '../support/manifest.ts';

const customers = {
  name: 'customer',
  label: 'Customers',
  source: 'stored',
  relations: [{ name: 'orders', label: 'Orders', resource: 'order', field: 'customer' }],
};
const orders = {
  name: 'order',
  label: 'Orders',
  source: 'stored',
  fields: [
    { name: 'customer', filter: true },
    { name: 'total', label: 'Total', type: 'money', currency: { field: 'unit' } },
    { name: 'unit', label: 'Unit' },
    { name: 'status', label: 'Status', type: 'text', filter: true, sort: true },
    { name: 'placed', label: 'Placed', type: 'date', filter: true },
    { name: 'note', label: 'Note' },
  ],
};

/** A choice that forms and sentences show in words. */
export const why = { enum: ['dup', 'late'], 'x-labels': { dup: 'Charged twice', late: 'Came late' } };

/** Returns the manifest of the app; `input` says what a refund is given. */
export const ordersManifest = (input: { readonly properties: object; readonly required?: readonly string[] }) => ({
  ...testManifest,
  resources: [customers, orders],
  actions: [
    ...testManifest.actions,
    {
      name: 'refund_payment',
      label: 'Refund payment',
      resource: 'order',
      approval: true,
      reversible: false,
      input: { type: 'object', ...input },
    },
  ],
});
