/** A read of an agent as a part of the stream, and how it looks to whoever watches the agent. Used by reads.ts and visibility.ts. */
import type { Access } from '../../shared/accounts/access/access.ts';
import { seesAllOf, type Sight } from '../../shared/accounts/access/sight.ts';
import type { ActorRef } from '../../shared/catalogue/events.ts';
import type { NamedKind } from '../../shared/catalogue/permissions.ts';

/** An object that was read, and the name by which a role sees it or not. */
export interface ReadTarget {
  readonly type: string;
  /** The id; of a record with its resource before it: `order:ord_1`. */
  readonly id: string;
  /** null: the target is shown only to roles that see all that the agent sees. */
  readonly seenBy: { readonly kind: NamedKind; readonly name: string } | null;
}

export interface ReadPart {
  readonly type: 'read';
  readonly agent: ActorRef;
  readonly verb: string;
  readonly via: 'http' | 'mcp';
  readonly targets: readonly ReadTarget[];
  /** The parameters; null: they were not understood. */
  readonly query: Readonly<Record<string, unknown>> | null;
  readonly outcome: 'ok' | 'denied' | 'failed';
  readonly code: string | null;
  /** What the agent's role sees; it is not sent. */
  readonly sight: Sight;
}

export interface ShownRead extends Omit<ReadPart, 'sight' | 'targets'> {
  readonly targets: readonly Pick<ReadTarget, 'type' | 'id'>[];
}

/**
 * Returns the read as a role sees it, or null. The agent's words (its parameters) may come from anything that it sees, so
 * they are only shown to a role that sees as much; of a read of things that the role does not see nothing is told.
 */
export const presentRead = ({ sight, targets, query, ...part }: ReadPart, access: Access): ShownRead | null => {
  const seesAll = seesAllOf(access, sight);
  const seen = targets.filter(({ seenBy }) => seesAll || (seenBy !== null && access.sees(seenBy.kind, seenBy.name)));
  if (targets.length > 0 && seen.length === 0) return null;
  return { ...part, targets: seen.map(({ type, id }) => ({ type, id })), query: seesAll ? query : null };
};
