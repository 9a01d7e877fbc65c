/** Schemas of responses with items and timeline entries, for the endpoints of items. */
import { itemSchema } from '../app/items/members.ts';
import { entryTypes, type EntryType } from '../catalogue/events.ts';
import {
  actorSchema,
  idSchema,
  nullable,
  responseObject,
  Type,
  type Static,
  type TProperties,
  type TSchema,
  warningsSchema,
} from '../platform/json/schema.ts';
import { recordReference } from './links.ts';
import { occurrenceSchema } from './occurrences/occurrences.ts';

const timestampSchema = (description: string) =>
  Type.Integer({ description: `${description} (milliseconds since 1970 UTC)` });

const text = (description: string) => Type.String({ description });
const moved = (value: TSchema) => ({ from: nullable(value), to: nullable(value) });
const recordLink = { record: recordReference('The record.') };

/** What an entry of each type says, beside what any entry may say. An erasure empties the values and leaves the members. */
const dataByType: { readonly [T in EntryType]: TProperties } = {
  created: {},
  occurred: {
    occurrences: Type.Object(
      { from: Type.Integer({ description: 'Before.' }), to: Type.Integer({ description: 'After.' }) },
      { description: 'Their count before and after.' },
    ),
    occurrence: nullable(occurrenceSchema),
  },
  state: { from: text('The former state.'), to: text('The new state.') },
  assigned: moved(text('A person’s id.')),
  snoozed: moved(timestampSchema('until')),
  woken: { from: nullable(timestampSchema('until')) },
  tags: { add: Type.Array(Type.String()), remove: Type.Array(Type.String()) },
  note: { text: text('The note.') },
  reply: {
    subject: text('The subject.'),
    text: text('The text.'),
    status: text('sending, sent, failed or unknown.'),
    error: nullable(text('Why it was not sent.')),
  },
  action: {
    run: text('The run’s id.'),
    action: text('The action.'),
    label: text('Its label.'),
    status: text('The run’s status.'),
    message: nullable(text('What the app said.')),
  },
  triage: {
    answers: Type.Object({}, { description: 'Answers by question.' }),
    closed: Type.Boolean({ description: 'Whether triage closed the item.' }),
  },
  approval: {
    approval: text('The approval’s id.'),
    kind: text('What waits.'),
    status: text('The approval’s status.'),
    decidedBy: nullable(actorSchema),
    note: nullable(text('The decider’s note.')),
  },
  linked: recordLink,
  unlinked: recordLink,
  edited: {
    member: text('The member that was put right.'),
    from: Type.Unknown({ description: 'Its former value.' }),
    to: Type.Unknown({ description: 'Its new value.' }),
  },
  delegated: moved(text('An agent’s id.')),
  claim_taken: { from: actorSchema },
};

export const knewSchema = responseObject(
  {
    at: Type.Integer({ description: 'When its author had read the item (milliseconds since 1970 UTC).' }),
    missed: Type.Integer({ description: 'Entries by others since then, at most 200.' }),
  },
  { description: 'What its author, an agent, knew of the item.' },
);

/** What an entry of any type may say. */
const anyData = {
  reason: Type.Optional(nullable(text('Why, in the words of who did it.'))),
  approvedBy: Type.Optional(nullable(actorSchema)),
  knew: Type.Optional(knewSchema),
  erased: Type.Optional(Type.Boolean({ description: 'Whether an erasure has emptied it.' })),
};

/** Returns the schema of the data of an entry of a type. */
export const entryDataOf = (type: EntryType) =>
  Type.Object({ ...dataByType[type], ...anyData }, { description: 'What happened.' });

interface EntryStatic<Item> {
  readonly id: string;
  readonly item: Item;
  readonly type: string;
  readonly at: number;
  readonly actor: Static<typeof actorSchema>;
  readonly data: Record<string, unknown>;
}

/** Returns the schema of an entry: an alternative for each type, each whole, as generators of clients read no members beside alternatives. */
const entrySchemaOf = <T extends TSchema>(item: T) =>
  Type.Unsafe<EntryStatic<Static<T>>>(
    Type.Union(
      entryTypes.map((type) =>
        Type.Object({
          id: idSchema('ent', 'Id.'),
          item,
          type: Type.Literal(type),
          at: timestampSchema('at'),
          actor: actorSchema,
          data: entryDataOf(type),
        }),
      ),
    ),
  );

/** An entry of a timeline; later versions add types. */
export const entrySchema = entrySchemaOf(idSchema('itm', 'Its item.'));
/** An entry of a record's history. */
export const recordEntrySchema = entrySchemaOf(nullable(text('Its item, if it has one that you see.')));

/** Warnings to an agent: another works on the item, the agent has not claimed it, or has not read it. */
const warnings = Type.Optional(warningsSchema);
export const changedItemResponse = responseObject({
  item: itemSchema,
  changed: Type.Boolean({ description: 'false: it was so already.' }),
  warnings,
});
export const updatedItemResponse = responseObject({
  ...changedItemResponse.properties,
  entries: Type.Array(entrySchema, { description: 'New entries, in order.' }),
});
export const itemDryRunResponse = responseObject({
  dryRun: Type.Literal(true),
  would: Type.Union([Type.Literal('change'), Type.Literal('pend'), Type.Literal('nothing')], {
    description: 'pend: a person has to approve it; nothing: it is so already.',
  }),
  item: itemSchema,
  changed: Type.Boolean({ description: 'Whether the item would change.' }),
  entries: Type.Array(
    responseObject({
      type: Type.String({ description: 'As of an entry.' }),
      data: Type.Object({}, { description: 'As of an entry.' }),
    }),
    { description: 'The parts of the change, those of an undo too: the entries that it would write, in order.' },
  ),
});
export const entryResponse = responseObject({ item: itemSchema, entry: entrySchema, warnings });
const recipientMembers = {
  to: nullable(Type.String({ description: 'The address that it goes to; null: the app sends it.' })),
  warnings: warningsSchema,
};
export const replyResponse = responseObject({
  ...entryResponse.properties,
  entries: updatedItemResponse.properties.entries,
  ...recipientMembers,
});
export const replyDryRunResponse = responseObject({
  dryRun: Type.Literal(true),
  would: itemDryRunResponse.properties.would,
  subject: Type.String({ description: 'Its subject.' }),
  ...recipientMembers,
});
