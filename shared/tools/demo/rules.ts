// The manifest's rules of each inbox, in the form that the histories need; used by story.ts and the plots.

import manifest from './manifest.json' with { type: 'json' };
import type { InboxName } from './types.ts';

type Kind = 'open' | 'waiting' | 'closed';

interface DeclaredInbox {
  name: string;
  states: { name: string; kind: string }[];
  initial: string;
  transitions?: Record<string, string[] | undefined>;
  responseTime?: number;
  onOccurrence: { reopen: string[]; wake: boolean };
}

export interface InboxRules {
  readonly initial: string;
  readonly responseTime: number | null;
  readonly reopen: readonly string[];
  readonly wake: boolean;
  kindOf(state: string): Kind;
  allows(from: string, to: string): boolean;
}

function rulesOf(inbox: InboxName): InboxRules {
  const declared = (manifest.inboxes as DeclaredInbox[]).find(({ name }) => name === inbox);
  if (declared === undefined) throw new Error(`manifest.json has no inbox ${inbox}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the demo’s own manifest has no other kinds
  const kinds = new Map(declared.states.map(({ name, kind }) => [name, kind as Kind]));

  return {
    initial: declared.initial,
    responseTime: declared.responseTime ?? null,
    reopen: declared.onOccurrence.reopen,
    wake: declared.onOccurrence.wake,
    kindOf(state) {
      const kind = kinds.get(state);
      if (kind === undefined) throw new Error(`inbox ${inbox} has no state ${state}`);
      return kind;
    },
    allows: (from, to) => declared.transitions === undefined || (declared.transitions[from] ?? []).includes(to),
  };
}

export const rules: Readonly<Record<InboxName, InboxRules>> = {
  support: rulesOf('support'),
  errors: rulesOf('errors'),
  refunds: rulesOf('refunds'),
  signups: rulesOf('signups'),
  abuse: rulesOf('abuse'),
};
