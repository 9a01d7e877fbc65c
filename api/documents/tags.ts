/** The groups of operations, in the order of the documents. Used by ../openapi.ts. */

export const tagDescriptions: readonly { readonly name: string; readonly description: string }[] = [
  { name: 'Discovery', description: 'Who you are, and what there is.' },
  { name: 'Items', description: 'What came in.' },
  { name: 'Bulk', description: 'One change of many items.' },
  { name: 'Records', description: 'The app’s records.' },
  { name: 'Actions', description: 'What the app can do, and its runs.' },
  { name: 'Approvals', description: 'What waits for a person.' },
  { name: 'Pages', description: 'What the app shows.' },
  { name: 'Flags', description: 'Feature flags.' },
  { name: 'Live', description: 'See /asyncapi.json.' },
  { name: 'Agents’ tools', description: 'The Model Context Protocol.' },
  { name: 'App', description: 'See /asyncapi.json.' },
  { name: 'Audit', description: 'What was done or refused. What is before archivedBefore may be archived.' },
  { name: 'Sign-in', description: 'How people get a session.' },
  { name: 'Settings', description: 'For managers.' },
];
