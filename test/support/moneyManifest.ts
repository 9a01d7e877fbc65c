/** A manifest with amounts, dates, and what inputs say for forms. For the tests of these. */

export const amount = { type: 'number', format: 'money', description: 'What is given back.' };
export const moneyManifest = {
  resources: [
    {
      name: 'order',
      source: 'stored',
      fields: [
        { name: 'total', type: 'money', currency: { field: 'unit' }, filter: true, sort: true },
        { name: 'fee', type: 'money', currency: 'CHF' },
        { name: 'bare', type: 'money' },
        { name: 'unit' },
        { name: 'due', type: 'date', filter: true, sort: true },
      ],
    },
    { name: 'customer', source: 'stored' },
  ],
  inboxes: [
    {
      name: 'claims',
      fields: {
        type: 'object',
        properties: { asked: { ...amount, currency: { field: 'code' } }, code: { type: 'string' } },
      },
    },
  ],
  actions: [
    {
      name: 'refund',
      label: 'Refund',
      resource: 'order',
      approval: true,
      input: {
        type: 'object',
        properties: {
          amount: { ...amount, currency: { field: 'unit' } },
          tip: { type: 'number', format: 'money', currency: 'EUR' },
          to: { type: 'string', 'x-resource': 'customer' },
          why: { enum: ['dup', 'late'], 'x-labels': { dup: 'Charged twice', late: 'Came late' } },
        },
      },
    },
    {
      name: 'pay',
      label: 'Pay',
      approval: true,
      input: {
        type: 'object',
        properties: { sum: { ...amount, currency: { field: 'code' } }, code: { type: 'string' } },
      },
    },
  ],
  pages: [
    {
      name: 'orders',
      blocks: [
        {
          type: 'table',
          source: 'records',
          query: { resource: 'order', sort: 'due' },
          columns: [{ name: 'total' }, { name: 'fee' }, { name: 'due' }],
        },
      ],
    },
  ],
};
