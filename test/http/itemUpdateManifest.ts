/** The inboxes and resources of the tests that change several members of an item at once. */
export const hour = 3_600_000;
export const manifest = {
  resources: [
    { name: 'customer', source: 'stored' },
    { name: 'vault', source: 'stored' },
    { name: 'served', source: 'app' },
  ],
  inboxes: [
    { name: 'mail', responseTime: hour, reply: { via: 'app' } },
    { name: 'oneWay', reply: { via: 'app' }, transitions: { open: ['waiting'], waiting: ['open'], closed: [] } },
    { name: 'secret' },
  ],
};
export const customer = (id: string) => ({ resource: 'customer', id });
