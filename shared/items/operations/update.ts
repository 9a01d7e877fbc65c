/** Changes several members of an item at once: state, edited members, assignee, tags, snooze, a note, links; all of them or none. */
import { eachEdited, editedNames, type EditedName, type itemMembers } from '../../app/items/members.ts';
import type { InboxDefinition } from '../../app/manifest/definition.ts';
import { Fault, invalidAt } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import type { InboxVerb } from '../../catalogue/permissions.ts';
import {
  lookupIdSchema,
  nameSchema,
  nullable,
  strictObject,
  timeSchema,
  Type,
  type Static,
} from '../../platform/json/schema.ts';
import { movePaths } from '../../platform/json/validate.ts';
import { priorityProblem } from '../inboxRules.ts';
import { recordReference, decideLinkChange, isSameRecord } from '../links.ts';
import type { Item } from '../model.ts';
import {
  decideInTurn,
  defineItemOperation,
  type DecisionContext,
  type EntryDraft,
  type ItemDecision,
} from '../operation.ts';
import { assignInput, assignItem } from './assign.ts';
import { checkLongText, longText, noteItem } from './note.ts';
import { setState } from './setState.ts';
import { snoozeItem } from './snooze.ts';
import { requireTagChange, tagChangeSchema, tagItem } from './tag.ts';

const linkList = (description: string) =>
  Type.Optional(Type.Array(recordReference('A record.'), { maxItems: limits.linksPerItem, description }));

const linkChange = strictObject(
  { add: linkList('Records to link.'), remove: linkList('Links to remove.') },
  { description: 'Links to records, to add and to remove.' },
);

type EditedInput = { [M in EditedName]: ReturnType<typeof Type.Optional<(typeof itemMembers)[M]['edited']['given']>> };

export const updateInput = strictObject({
  state: Type.Optional(nameSchema('The state to enter.')),
  ...assignInput,
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each member has the schema of its row
  ...(eachEdited((_, { given }) => Type.Optional(given)) as EditedInput),
  tags: Type.Optional(tagChangeSchema),
  snooze: Type.Optional(nullable(timeSchema('When it wakes by itself; null wakes it now'))),
  note: Type.Optional(longText('A note to add.')),
  links: Type.Optional(linkChange),
  undo: Type.Optional(lookupIdSchema('Entry whose change to undo; alone.')),
});

export type UpdateInput = Static<typeof updateInput>;

const requireLinkChange = ({ add = [], remove = [] }: Static<typeof linkChange>): void => {
  if (add.length + remove.length === 0) throw invalidAt('links.add', 'must have at least one record, or remove must');
  const both = add.findIndex((ref) => remove.some((other) => isSameRecord(other, ref)));
  if (both !== -1) throw invalidAt(`links.add.${String(both)}`, 'must not be in remove as well');
};

/** A member of the input: the verb that it needs, and what it does to an item. */
interface UpdatePart {
  readonly member: keyof UpdateInput;
  readonly verb: InboxVerb;
  /** The members of an item that it sets, or goes by, which must not change between a request and its approval. */
  readonly sets: readonly (keyof Item)[];
  readonly decide: (item: Item, inbox: InboxDefinition, input: UpdateInput, moment: DecisionContext) => ItemDecision;
  /** Returns the path in the input of a path in that of the member's own operation. */
  readonly place: (path: string) => string;
}

const definePart = (
  member: keyof UpdateInput,
  { verb, sets }: Pick<UpdatePart, 'verb' | 'sets'>,
  decide: UpdatePart['decide'],
  place: UpdatePart['place'] = () => member,
): UpdatePart => ({ member, verb, sets, decide, place });

/** Returns the entry of a member that is put right. */
export const editedEntry = (member: EditedName, from: unknown, to: unknown): EntryDraft => ({
  type: 'edited',
  data: { member, from, to },
});

/** Returns why an item can't get a value of an edited member, beyond the schema of the member, or null. */
const valueProblems: {
  readonly [M in EditedName]?: (inbox: InboxDefinition, value: Item[M]) => Fault | null;
} = { priority: priorityProblem };

const decideEdit = <M extends EditedName>(
  member: M,
  item: Item,
  inbox: InboxDefinition,
  value: Item[M] = item[member],
): ItemDecision =>
  item[member] === value
    ? 'unchanged'
    : (valueProblems[member]?.(inbox, value) ?? {
        item: { ...item, [member]: value },
        entries: [editedEntry(member, item[member], value)],
      });

/** In the order in which they are decided: the state first, as only open items can be snoozed. */
const parts: readonly UpdatePart[] = [
  definePart('state', { verb: 'state', sets: ['state'] }, (item, inbox, { state = item.state }, moment) =>
    setState.decide(item, inbox, { state }, moment),
  ),
  ...editedNames.map((name) =>
    definePart(name, { verb: 'edit', sets: [name] }, (item, inbox, input) =>
      decideEdit(name, item, inbox, input[name]),
    ),
  ),
  definePart('assignee', { verb: 'assign', sets: ['assignee'] }, (item, inbox, { assignee = null }, moment) =>
    assignItem.decide(item, inbox, { assignee }, moment),
  ),
  definePart('delegate', { verb: 'assign', sets: ['delegate'] }, (item, inbox, { delegate = null }, moment) =>
    assignItem.decide(item, inbox, { delegate }, moment),
  ),
  definePart(
    'tags',
    { verb: 'tags', sets: ['tags'] },
    (item, inbox, { tags = {} }, moment) => tagItem.decide(item, inbox, tags, moment),
    (path) => `tags.${path}`,
  ),
  definePart(
    'snooze',
    { verb: 'snooze', sets: ['snoozedUntil', 'closed'] },
    (item, inbox, { snooze: until = null }, moment) => snoozeItem.decide(item, inbox, { until }, moment),
  ),
  definePart('note', { verb: 'note', sets: [] }, (item, inbox, { note = '' }, moment) =>
    noteItem.decide(item, inbox, { text: note }, moment),
  ),
  definePart(
    'links',
    { verb: 'note', sets: ['links'] },
    (item, _inbox, { links: { add = [], remove = [] } = {} }, moment) =>
      decideLinkChange(item, { add, remove }, moment),
    (path) => path,
  ),
];

const partsOf = (input: UpdateInput): readonly UpdatePart[] =>
  parts.filter(({ member }) => input[member] !== undefined);

/** Returns the members of an item that an input sets; of one that undoes a change, all that it may. */
export const updatedMembers = (input: object): readonly (keyof Item)[] =>
  parts.flatMap(({ member, sets }) =>
    'undo' in input ? sets.filter((name) => name !== 'closed') : member in input ? sets : [],
  );

/** Returns the verbs that an input needs, each once. */
export const updateVerbs = (input: UpdateInput): InboxVerb[] => [...new Set(partsOf(input).map(({ verb }) => verb))];

const decide = (item: Item, inbox: InboxDefinition, input: UpdateInput, moment: DecisionContext): ItemDecision =>
  decideInTurn(
    item,
    partsOf(input).map((part) => (present) => {
      const change = part.decide(present, inbox, input, moment);
      return change instanceof Fault ? movePaths(change, part.place) : change;
    }),
  );

const validate = (input: UpdateInput, at: number): void => {
  if (input.undo !== undefined) {
    if (partsOf(input).length > 0) throw invalidAt('undo', 'stands alone: leave the other members out');
    return;
  }
  if (partsOf(input).length === 0)
    throw invalidAt(
      'state',
      `is missing, and so are ${parts
        .slice(1)
        .map(({ member }) => member)
        .join(', ')}: give at least one`,
    );
  const { tags, links, note, snooze } = input;
  if (tags !== undefined) requireTagChange(tags, 'tags.');
  if (links !== undefined) requireLinkChange(links);
  if (note !== undefined) checkLongText(note, 'note');
  if (snooze !== undefined && snooze !== null && snooze <= at)
    throw invalidAt('snooze', 'must be in the future, in milliseconds since 1970 UTC');
};

export const updateItem = defineItemOperation({
  name: 'item.update',
  verb: updateVerbs,
  input: updateInput,
  validate,
  // Waking alone needs none.
  needsReason: (input) => input.snooze !== null || partsOf(input).length > 1,
  decide,
});
