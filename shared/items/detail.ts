/** What the detail page of an item adds from its inbox's declaration: blocks with their templates filled, suggestions. */
import type { Access } from '../agents/access.ts';
import { fillTemplate, holds } from '../core/conditions.ts';
import type { Definition, Inbox } from '../environments/definition.ts';
import type { StoredRecord } from '../records/queries.ts';

export interface SuggestedAction {
  readonly action: string;
  readonly label: string;
  readonly record: string | null;
  readonly input: unknown;
  readonly reason: string | null;
}

/** What templates and conditions of an inbox can speak of. */
export interface Subject {
  readonly item: Readonly<Record<string, unknown>>;
  readonly record: StoredRecord | null;
}

export const filledBlocks = ({ blocks }: Inbox, subject: Subject): Record<string, unknown>[] =>
  blocks.map((block) => fillTemplate(block, subject) as Record<string, unknown>);

/** The declared suggestions whose condition holds, of actions that the role may run on this item's record. */
export const suggestedActions = ({ suggest }: Inbox, { manifest }: Definition, access: Access, subject: Subject): SuggestedAction[] =>
  suggest.flatMap(({ when, action, input, reason }) => {
    const declared = manifest.actions?.find((known) => known.name === action);
    if (declared === undefined || !access.can('action', action, 'run')) return [];
    const resource = declared.resource ?? null;
    if (resource !== null && subject.record?.resource !== resource) return [];
    if (when !== undefined && !holds(when, subject)) return [];
    return [{
      action,
      label: declared.label ?? action,
      record: resource === null ? null : (subject.record?.id ?? null),
      input: fillTemplate(input ?? {}, subject),
      reason: reason ?? null,
    }];
  });
