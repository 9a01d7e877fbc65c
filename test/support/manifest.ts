/** What the app of test worlds declares: inboxes with and without rules of their own, two resources, a few views. */

export const testManifest = {
  resources: [
    { name: 'customer', source: 'stored', fields: [{ name: 'email', search: true }] },
    { name: 'vault', source: 'stored' },
  ],
  inboxes: [
    {
      name: 'mail',
      label: 'Mail',
      responseTime: 3_600_000,
      fields: { type: 'object', properties: { email: { type: 'string' }, plan: { type: 'string' } } },
      reply: { via: 'app' },
      blocks: [{ type: 'text', title: 'From', text: 'Mail from {{item.fields.email}}' }],
      suggest: [
        {
          when: { field: 'item.fields.plan', op: 'eq', value: 'team' },
          action: 'upgrade',
          input: { plan: '{{item.fields.plan}}' },
          reason: 'On the team plan.',
        },
      ],
    },
    {
      name: 'refunds',
      states: [
        { name: 'requested', kind: 'open' },
        { name: 'approved', kind: 'waiting' },
        { name: 'paid', kind: 'closed' },
        { name: 'declined', kind: 'closed' },
      ],
      initial: 'requested',
      transitions: { requested: ['approved', 'declined'], approved: ['paid'], declined: ['requested'], paid: [] },
      reply: { via: 'smtp', from: 'refunds@example.com', to: '{{item.fields.email}}' },
    },
    { name: 'bugs', onOccurrence: { reopen: ['closed'], wake: true } },
    { name: 'secret', reply: null },
  ],
  views: [
    { name: 'open', label: 'Open', state: 'open,requested', snoozed: '0' },
    { name: 'secrets', inbox: 'secret' },
  ],
  actions: [{ name: 'upgrade', label: 'Upgrade', input: { type: 'object' } }],
} as const;

/** Sees and may do everything in mail and refunds, sees bugs, and nothing of secret or vault. */
export const clerkGrants = [
  { on: 'inbox:mail', can: ['*'] },
  { on: 'inbox:refunds', can: ['*'] },
  { on: 'inbox:bugs', can: ['see'] },
  { on: 'resource:customer', can: ['see'] },
] as const;
