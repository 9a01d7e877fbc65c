// The types of the demo's content. People and agents are named by index, because ids are made when it is loaded.

export type InboxName = 'support' | 'errors' | 'refunds' | 'signups' | 'abuse';

interface DemoGrant {
  on: string;
  can: string[];
}

/** A role besides the built-in viewer, operator and admin. */
export interface DemoRole {
  name: string;
  grants: DemoGrant[];
}

/** `role` is the name of a built-in role or of a `DemoRole`. */
export interface DemoPerson {
  email: string;
  name: string;
  role: string;
}

export interface DemoAgent {
  name: string;
  role: string;
}

export interface DemoRecord {
  resource: 'customer' | 'order' | 'payment' | 'subscription';
  id: string;
  title: string;
  subtitle: string;
  fields: Record<string, string | number | boolean | null>;
  updatedAt: number;
}

export interface DemoRef {
  resource: DemoRecord['resource'];
  id: string;
}

/** `index` counts in `DemoWorld.people` or `DemoWorld.agents`. */
export type DemoActor = { type: 'person' | 'agent'; index: number } | { type: 'app' | 'system'; index: null };

/** The timeline's data as in the API, but with indexes of people. */
export interface DemoEventData {
  created: Record<string, never>;
  occurred: { occurrences: { from: number; to: number } };
  state: { from: string; to: string };
  assigned: { from: number | null; to: number | null };
  tags: { add: string[]; remove: string[] };
  note: { text: string };
  snoozed: { from: number | null; to: number | null };
  woken: { from: number };
  reply: { subject: string; text: string; status: 'sent' | 'failed'; error: string | null };
  triage: { answers: Record<string, string>; closed: boolean; reason: string | null };
}

export type DemoEventType = keyof DemoEventData;

interface DemoEventOf<T extends DemoEventType> {
  type: T;
  at: number;
  actor: DemoActor;
  data: DemoEventData[T];
}

export type DemoEvent = { [T in DemoEventType]: DemoEventOf<T> }[DemoEventType];

interface DemoTriage {
  answers: { question: string; answer: string; by: DemoActor; at: number }[];
  closed: boolean;
}

/** What a report of an item brought. */
interface DemoOccurrence {
  at: number;
  title: string;
  data: Record<string, unknown>;
}

export interface DemoItem {
  inbox: InboxName;
  title: string;
  state: string;
  record: (DemoRef & { title: string }) | null;
  links: DemoRef[];
  /** Sorted by code unit, without repeats. */
  tags: string[];
  /** Index in `DemoWorld.people` of someone who can see the inbox. */
  assignee: number | null;
  occurrences: number;
  users: number;
  firstSeen: number;
  lastSeen: number;
  dueAt: number | null;
  fields: Record<string, unknown>;
  snoozedUntil: number | null;
  triaged: boolean;
  triage: DemoTriage | null;
  createdAt: number;
  updatedAt: number;
  /** Unique within the inbox. */
  key: string | null;
  version: number;
  /** Oldest first, the creation among them; of many only the newest. */
  said: DemoOccurrence[];
  /** Oldest first, 1 to 8; entries of one change have the same time and are in the order in which they apply. */
  history: DemoEvent[];
}

/** Everything but the items. */
export interface DemoWorld {
  people: DemoPerson[];
  roles: DemoRole[];
  agents: DemoAgent[];
  /** Customers and orders, which the service stores. */
  records: DemoRecord[];
  /** Payments and subscriptions, which the sample customer's app serves. */
  appRecords: DemoRecord[];
}
