/** The schemas of declared inboxes, views and resources, for manifest.ts. */
import { limits } from '../../catalogue/limits.ts';
import { defaultPriorities, stateKinds } from '../../catalogue/states.ts';
import {
  nameSchema,
  nullable,
  strictObject,
  tagSchema,
  timeSchema,
  Type,
  type Static,
} from '../../platform/json/schema.ts';
import { eachEdited, itemSorts } from '../items/members.ts';
import { recordFilterSchema } from './itemQuery.ts';

export const labelSchema = Type.String({ minLength: 1, maxLength: 200, description: 'For people.' });
/** Characters of a description. */
const descriptionMax = 2_000;
export const descriptionSchema = Type.String({
  maxLength: descriptionMax,
  description: 'What it is, for people, models and programs that find it here for the first time.',
});
/** Whether a person has to approve each use; or how many people, and of which roles. */
export const approvalRuleSchema = Type.Union([
  Type.Boolean(),
  strictObject({
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 5, description: 'How many people have to approve it.' })),
    roles: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        minItems: 1,
        maxItems: 20,
        uniqueItems: true,
        description: 'Names of the roles whose people may decide it.',
      }),
    ),
  }),
]);

export type DeclaredApproval = Static<typeof approvalRuleSchema>;

/** Returns how many people have to approve what is declared so, and of which roles; null: nobody. */
export const approvalNeeds = (
  declared: DeclaredApproval | undefined,
): { readonly needed: number; readonly roles: readonly string[] | null } | null => {
  if (declared === undefined || declared === false) return null;
  const { count = 1, roles = null } = declared === true ? {} : declared;
  return { needed: count, roles };
};

export const reasonRequiredSchema = Type.Boolean({
  description: 'Whether agents and persons have to give a reason with each change.',
});
/** The least strict first. */
export const claimRules = ['off', 'advise', 'enforce'] as const;
export const claimsSchema = Type.Union([Type.Literal('off'), Type.Literal('advise'), Type.Literal('enforce')], {
  description:
    'Whether agents claim an item before they change it: enforce refuses a change without a claim, advise warns of it; advise when absent.',
});
/** The least strict first. */
export const unseenRules = ['allow', 'warn', 'refuse'] as const;
export const unseenSchema = Type.Union([Type.Literal('allow'), Type.Literal('warn'), Type.Literal('refuse')], {
  description:
    'What becomes of an agent’s reply, state change or action over entries that it has not read; warn when absent.',
});
const durationSchema = Type.Integer({ minimum: 1, maximum: 31_536_000_000, description: 'Milliseconds.' });
export const jsonSchemaSchema = Type.Object(
  {},
  { description: 'A JSON Schema 2020-12 with references into itself only, at most 64 KiB.' },
);
/** `conditionProblems` checks the form, with better messages than a schema's alternatives would give. */
const manifestConditionSchema = Type.Object({}, { description: 'A condition: all, any, not, or field, op and value.' });
/** `whenProblems` checks the form, for the same reason. */
export const manifestWhenSchema = Type.Object(
  {},
  { description: 'A condition, or { if, otherwise }: a condition, and why the action does not apply without it.' },
);
const manifestBlocksSchema = Type.Array(Type.Object({ type: Type.String() }), {
  maxItems: 50,
  description: 'Blocks; their texts may hold templates such as {{item.title}}.',
});
/** `fieldCurrencyProblems` checks the form, for the same reason. */
const currencySchema = Type.Unknown({
  description: 'Of amounts: an ISO 4217 code such as EUR, or { field }: the field of the record that has it.',
});
const stateNames = Type.Array(nameSchema('A state.'), { maxItems: 50 });
const threeWay = Type.Union([Type.Literal('1'), Type.Literal('0')], {
  description: '1: only those; 0: the others.',
});
const address = (description: string) =>
  Type.String({ minLength: 1, maxLength: 500, pattern: '^[^\\u0000-\\u001f\\u007f]+$', description });

export const manifestInboxSchema = strictObject({
  name: nameSchema('The inbox.'),
  description: Type.Optional(descriptionSchema),
  label: Type.Optional(labelSchema),
  states: Type.Optional(
    Type.Array(
      strictObject({
        name: nameSchema('The state.'),
        description: Type.Optional(descriptionSchema),
        kind: Type.Union(
          stateKinds.map((kind) => Type.Literal(kind)),
          { description: 'open, waiting or closed.' },
        ),
      }),
      { minItems: 1, maxItems: 50, description: 'Its states; open, waiting and closed when absent.' },
    ),
  ),
  initial: Type.Optional(nameSchema('The state of a new item; the first of the list when absent.')),
  transitions: Type.Optional(
    Type.Record(Type.String(), stateNames, { description: 'From each state, those that can be entered; absent: any.' }),
  ),
  priorities: Type.Optional(
    Type.Array(nameSchema('The priority.'), {
      minItems: 1,
      maxItems: 20,
      description: `Its priorities, the most urgent first; ${defaultPriorities.join(', ')} when absent.`,
    }),
  ),
  responseTime: Type.Optional(nullable(durationSchema)),
  fields: Type.Optional(jsonSchemaSchema),
  reasonRequired: Type.Optional(reasonRequiredSchema),
  claims: Type.Optional(claimsSchema),
  unseen: Type.Optional(unseenSchema),
  reply: Type.Optional(
    nullable(
      Type.Union([
        strictObject({ via: Type.Literal('app') }),
        strictObject({
          via: Type.Literal('smtp'),
          from: address('The sender.'),
          to: address('The receiver, usually a template such as {{item.fields.email}}.'),
          inReplyTo: Type.Optional(
            address(
              'The Message-ID of the mail that is replied to, usually a template such as {{item.fields.messageId}}.',
            ),
          ),
        }),
      ]),
    ),
  ),
  triage: Type.Optional(
    nullable(
      strictObject({
        rules: Type.Optional(
          Type.Array(
            strictObject({
              when: manifestConditionSchema,
              answers: Type.Optional(Type.Object({})),
              close: Type.Optional(Type.Boolean()),
              state: Type.Optional(nameSchema('A state.')),
              tags: Type.Optional(Type.Array(tagSchema, { maxItems: 50 })),
              assignee: Type.Optional(Type.String()),
            }),
            { maxItems: 200 },
          ),
        ),
        app: Type.Optional(Type.Boolean()),
      }),
    ),
  ),
  onOccurrence: Type.Optional(
    strictObject({
      reopen: Type.Optional(Type.Array(Type.Union(stateKinds.map((kind) => Type.Literal(kind))), { maxItems: 3 })),
      wake: Type.Optional(Type.Boolean()),
      keep: Type.Optional(
        nullable(
          Type.Integer({
            minimum: 1,
            maximum: limits.occurrencesKeptMax,
            description:
              'How many of an item’s newest occurrences are kept with what they brought; null: all of them, each with a timeline entry.',
          }),
        ),
      ),
      update: Type.Optional(
        Type.Boolean({ description: 'Whether the newest occurrence replaces the item’s title and fields.' }),
      ),
    }),
  ),
  blocks: Type.Optional(manifestBlocksSchema),
  suggest: Type.Optional(
    Type.Array(
      strictObject({
        when: Type.Optional(manifestConditionSchema),
        action: nameSchema('The action.'),
        input: Type.Optional(Type.Object({})),
        reason: Type.Optional(Type.String({ maxLength: 500 })),
      }),
      { maxItems: 50 },
    ),
  ),
});

export const manifestViewSchema = strictObject({
  name: nameSchema('The view.'),
  description: Type.Optional(descriptionSchema),
  label: Type.Optional(labelSchema),
  inbox: Type.Optional(nameSchema('Only this inbox.')),
  state: Type.Optional(Type.String({ maxLength: 5000, description: 'States, comma-separated, as in GET /items.' })),
  tags: Type.Optional(Type.String({ maxLength: 5000, description: 'Tags, comma-separated; all are required.' })),
  assignee: Type.Optional(Type.String({ maxLength: 5000, description: 'none, me, or people, comma-separated.' })),
  ...eachEdited((_, { plural }) =>
    Type.Optional(Type.String({ maxLength: 5000, description: `${plural}, comma-separated; any of them.` })),
  ),
  record: Type.Optional(recordFilterSchema),
  createdAfter: Type.Optional(timeSchema('Items made at this time or later')),
  createdBefore: Type.Optional(timeSchema('Items made before this time')),
  seenAfter: Type.Optional(timeSchema('Items with activity at this time or later')),
  seenBefore: Type.Optional(timeSchema('Items with their last activity before this time')),
  search: Type.Optional(Type.String({ maxLength: 200 })),
  q: Type.Optional(
    Type.String({ maxLength: 200, description: 'Words of any text of an item, as in GET /items.', pattern: '\\S' }),
  ),
  fields: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: limits.fieldFilterMax }), {
      maxProperties: limits.fieldFilters,
      description: 'Values of fields, by their names.',
    }),
  ),
  overdue: Type.Optional(threeWay),
  triaged: Type.Optional(threeWay),
  snoozed: Type.Optional(threeWay),
  sort: Type.Optional(Type.Union(itemSorts.flatMap((sort) => [Type.Literal(sort), Type.Literal(`-${sort}`)]))),
});

export const manifestResourceSchema = strictObject({
  name: nameSchema('The resource.'),
  description: Type.Optional(descriptionSchema),
  label: Type.Optional(labelSchema),
  source: Type.Union([Type.Literal('stored'), Type.Literal('app')]),
  fields: Type.Optional(
    Type.Array(
      strictObject({
        name: nameSchema('The field.'),
        description: Type.Optional(descriptionSchema),
        label: Type.Optional(labelSchema),
        type: Type.Optional(Type.String()),
        currency: Type.Optional(currencySchema),
        filter: Type.Optional(Type.Boolean()),
        sort: Type.Optional(Type.Boolean()),
        search: Type.Optional(Type.Boolean()),
      }),
      { maxItems: 200 },
    ),
  ),
  relations: Type.Optional(
    Type.Array(
      strictObject({
        name: nameSchema('The relation.'),
        description: Type.Optional(descriptionSchema),
        label: Type.Optional(labelSchema),
        resource: Type.Optional(nameSchema('The related resource.')),
        field: Type.Optional(nameSchema('A field of the related records that holds this record’s id.')),
        key: Type.Optional(nameSchema('A field of this record that holds the related one’s id.')),
      }),
      { maxItems: 100 },
    ),
  ),
  blocks: Type.Optional(manifestBlocksSchema),
});
