/** The groups of operations, in the order of the documents. Used by ../openapi.ts. */

export const tagDescriptions: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'Discovery', description: 'Who you are, and what there is.' },
  { name: 'Items', description: 'What came in, and what can be done with it.' },
  { name: 'Bulk', description: 'One change of many items.' },
  { name: 'Records', description: 'The app’s customers, orders and other records.' },
  { name: 'Actions', description: 'What the app can do, and its runs.' },
  { name: 'Approvals', description: 'What waits for a person.' },
  { name: 'Pages', description: 'What the app shows.' },
  { name: 'Flags', description: 'Feature flags, their ramps and evaluation.' },
  { name: 'Live', description: 'What changes, as it changes; see /asyncapi.json.' },
  { name: 'Agents’ tools', description: 'These operations as tools of the Model Context Protocol.' },
  { name: 'App', description: 'The link of the customer’s app; see /asyncapi.json.' },
  { name: 'Audit', description: 'What was done, and what was refused.' },
  { name: 'Sign-in', description: 'How people get a session.' },
  { name: 'Settings', description: 'Agents, people, roles, app keys and environments.' },
];
