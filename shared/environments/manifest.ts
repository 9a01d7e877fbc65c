/** What a customer's app declares (contract section 10): the schema that is published and the problems that it can't say. */
import { Fault, fault, type Detail } from '../catalogue/errors.ts';
import { defaultStates, stateKinds } from '../catalogue/states.ts';
import { conditionProblem, conditionOps, type Condition } from '../core/conditions.ts';
import { closed, name, nullable, tag, Type, type Static } from '../core/schema.ts';
import { compile, ownProblemsOf, problemsOf } from '../core/validate.ts';

const label = Type.String({ minLength: 1, maxLength: 200, description: 'What people read.' });
const duration = Type.Integer({ minimum: 1, maximum: 31_536_000_000, description: 'Milliseconds.' });
const jsonSchema = Type.Object({}, { description: 'A JSON Schema 2020-12 with local references only, at most 64 KiB.' });
const condition = Type.Object({}, { description: 'A condition: all, any, not, or field, op and value.' });
const stateNames = Type.Array(name('A state.'), { maxItems: 50 });
const threeWay = Type.Union([Type.Literal('1'), Type.Literal('0')], { description: '1: only those; 0: only the others.' });
const sorts = ['lastSeen', 'firstSeen', 'occurrences', 'users', 'title', 'due'] as const;

const inbox = closed({
  name: name('The inbox.'),
  label: Type.Optional(label),
  states: Type.Optional(
    Type.Array(
      closed({
        name: name('The state.'),
        kind: Type.Union(stateKinds.map((kind) => Type.Literal(kind)), { description: 'open, waiting or closed.' }),
      }),
      { minItems: 1, maxItems: 50, description: 'Its states; open, waiting and closed when absent.' },
    ),
  ),
  initial: Type.Optional(name('The state of a new item; the first of the list when absent.')),
  transitions: Type.Optional(Type.Record(Type.String(), stateNames, { description: 'From each state, those that can be entered; absent: any.' })),
  responseTime: Type.Optional(nullable(duration)),
  fields: Type.Optional(jsonSchema),
  reply: Type.Optional(
    nullable(
      Type.Union([
        closed({ via: Type.Literal('app') }),
        closed({ via: Type.Literal('smtp'), from: Type.String({ maxLength: 500 }), to: Type.String({ maxLength: 500 }) }),
      ]),
    ),
  ),
  triage: Type.Optional(
    nullable(
      closed({
        rules: Type.Optional(
          Type.Array(
            closed({
              when: condition,
              answers: Type.Optional(Type.Object({})),
              close: Type.Optional(Type.Boolean()),
              state: Type.Optional(name('A state.')),
              tags: Type.Optional(Type.Array(tag, { maxItems: 50 })),
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
    closed({
      reopen: Type.Optional(Type.Array(Type.Union(stateKinds.map((kind) => Type.Literal(kind))), { maxItems: 3 })),
      wake: Type.Optional(Type.Boolean()),
    }),
  ),
  blocks: Type.Optional(Type.Array(Type.Object({ type: Type.String() }), { maxItems: 50 })),
  suggest: Type.Optional(
    Type.Array(
      closed({
        when: Type.Optional(condition),
        action: name('The action.'),
        input: Type.Optional(Type.Object({})),
        reason: Type.Optional(Type.String({ maxLength: 500 })),
      }),
      { maxItems: 50 },
    ),
  ),
});

const view = closed({
  name: name('The view.'),
  label: Type.Optional(label),
  inbox: Type.Optional(name('Only this inbox.')),
  state: Type.Optional(Type.String({ maxLength: 5000, description: 'States, comma-separated, as in GET /items.' })),
  tags: Type.Optional(Type.String({ maxLength: 5000, description: 'Tags, comma-separated; all are required.' })),
  assignee: Type.Optional(Type.String({ maxLength: 100, description: 'none, me, or a person.' })),
  search: Type.Optional(Type.String({ maxLength: 200 })),
  overdue: Type.Optional(threeWay),
  triaged: Type.Optional(threeWay),
  snoozed: Type.Optional(threeWay),
  sort: Type.Optional(Type.Union(sorts.flatMap((sort) => [Type.Literal(sort), Type.Literal(`-${sort}`)]))),
});

const resource = closed({
  name: name('The resource.'),
  label: Type.Optional(label),
  source: Type.Union([Type.Literal('stored'), Type.Literal('app')]),
  fields: Type.Optional(
    Type.Array(
      closed({
        name: name('The field.'),
        label: Type.Optional(label),
        type: Type.Optional(Type.String()),
        filter: Type.Optional(Type.Boolean()),
        sort: Type.Optional(Type.Boolean()),
        search: Type.Optional(Type.Boolean()),
      }),
      { maxItems: 200 },
    ),
  ),
  relations: Type.Optional(
    Type.Array(
      closed({
        name: name('The relation.'),
        label: Type.Optional(label),
        resource: Type.Optional(name('The related resource.')),
        field: Type.Optional(Type.String()),
        key: Type.Optional(Type.String()),
      }),
      { maxItems: 100 },
    ),
  ),
  blocks: Type.Optional(Type.Array(Type.Object({ type: Type.String() }), { maxItems: 50 })),
});

const action = closed({
  name: name('The action.'),
  label: Type.Optional(label),
  resource: Type.Optional(nullable(name('The resource that it acts on.'))),
  input: Type.Optional(jsonSchema),
  danger: Type.Optional(nullable(Type.Union([Type.Literal('low'), Type.Literal('high')]))),
  approval: Type.Optional(Type.Boolean()),
  freshSignIn: Type.Optional(Type.Boolean()),
  background: Type.Optional(Type.Boolean()),
  repeatable: Type.Optional(Type.Boolean()),
  offline: Type.Optional(Type.Union([Type.Literal('queue'), Type.Literal('refuse')])),
  offlineExpiry: Type.Optional(duration),
  timeout: Type.Optional(duration),
  when: Type.Optional(condition),
  defaults: Type.Optional(Type.Object({})),
});

const page = closed({
  name: name('The page.'),
  label: Type.Optional(label),
  params: Type.Optional(Type.Array(closed({ name: name('The parameter.'), required: Type.Optional(Type.Boolean()) }), { maxItems: 50 })),
  blocks: Type.Array(Type.Object({ type: Type.String() }), { maxItems: 100 }),
});

const flag = closed({
  key: name('The flag.'),
  kind: Type.Union([Type.Literal('boolean'), Type.Literal('string'), Type.Literal('number'), Type.Literal('json')]),
  default: Type.Unknown(),
  resource: Type.Optional(nullable(name('The resource whose records it is evaluated for.'))),
  approval: Type.Optional(Type.Boolean()),
  danger: Type.Optional(nullable(Type.Union([Type.Literal('low'), Type.Literal('high')]))),
  description: Type.Optional(Type.String({ maxLength: 2000 })),
});

export const manifestSchema = closed(
  {
    resources: Type.Optional(Type.Array(resource, { maxItems: 200 })),
    inboxes: Type.Optional(Type.Array(inbox, { maxItems: 200 })),
    views: Type.Optional(Type.Array(view, { maxItems: 200 })),
    actions: Type.Optional(Type.Array(action, { maxItems: 1000 })),
    pages: Type.Optional(Type.Array(page, { maxItems: 200 })),
    flags: Type.Optional(Type.Array(flag, { maxItems: 2000 })),
  },
  { description: 'What a customer’s app declares to the service.' },
);

export type Manifest = Static<typeof manifestSchema>;
export type ManifestInbox = Static<typeof inbox>;
export type ManifestView = Static<typeof view>;
export type ManifestResource = Static<typeof resource>;
export type ManifestAction = Static<typeof action>;
export type ManifestPage = Static<typeof page>;
export type ManifestFlag = Static<typeof flag>;

const typed = compile(manifestSchema);

/** Not by `problemsOf`: that is for schemas of others, and takes no pattern that looks ahead. */
const check = (value: unknown): readonly Detail[] => {
  try {
    typed(value);
    return [];
  } catch (error) {
    if (error instanceof Fault) return error.extra.details ?? [];
    throw error;
  }
};

const twice = (names: readonly string[], path: string): Detail[] =>
  names.flatMap((item, i) => (names.indexOf(item) === i ? [] : [{ path: `${path}.${String(i)}`, message: `declares ${item} a second time` }]));

const schemaProblems = (schema: object | undefined, path: string): Detail[] => {
  if (schema === undefined) return [];
  const text = JSON.stringify(schema);
  if (Buffer.byteLength(text) > 65_536) return [{ path, message: 'is larger than 64 KiB' }];
  if (/"\$(?:ref|dynamicRef)":"[^#]/.test(text)) return [{ path, message: 'must have local references only' }];
  try {
    problemsOf(schema);
    return [];
  } catch (error) {
    return [{ path, message: `is not a JSON Schema: ${error instanceof Error ? error.message.slice(0, 300) : ''}` }];
  }
};

/** JSON Schemas are compiled only after their form is known to be sound. */
const conditionFormProblem = (root: unknown): string | null => {
  const stack: { value: unknown; depth: number }[] = [{ value: root, depth: 1 }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { value, depth } = next;
    if (typeof value !== 'object' || value === null || Array.isArray(value) || depth > 50) return 'is not a condition';
    const condition = value as Record<string, unknown>;
    const members = Object.keys(condition);
    const inner = condition['all'] ?? condition['any'];
    if (Array.isArray(inner) && members.length === 1) for (const child of inner) stack.push({ value: child, depth: depth + 1 });
    else if ('not' in condition && members.length === 1) stack.push({ value: condition['not'], depth: depth + 1 });
    else if (typeof condition['field'] !== 'string' || typeof condition['op'] !== 'string' || members.some((member) => !['field', 'op', 'value'].includes(member))) {
      return 'must be { all }, { any }, { not } or { field, op, value }';
    } else if (!conditionOps.includes(condition['op'])) return `has the op ${condition['op']}; known are ${conditionOps.join(', ')}`;
  }
  return conditionProblem(root as Condition);
};

const conditionProblems = (condition: unknown, path: string): Detail[] => {
  const problem = condition === undefined ? null : conditionFormProblem(condition);
  return problem === null ? [] : [{ path, message: problem }];
};

const inboxProblems = (inbox: ManifestInbox, path: string, manifest: Manifest): Detail[] => {
  const states = (inbox.states ?? defaultStates).map((state) => state.name);
  const known = (state: string, at: string): Detail[] =>
    states.includes(state) ? [] : [{ path: at, message: `names the state ${state}; the inbox has ${states.join(', ')}` }];
  const actions = (manifest.actions ?? []).map((action) => action.name);
  return [
    ...twice(states, `${path}.states`),
    ...(inbox.initial === undefined ? [] : known(inbox.initial, `${path}.initial`)),
    ...Object.entries(inbox.transitions ?? {}).flatMap(([from, to]) => [
      ...known(from, `${path}.transitions.${from}`),
      ...to.flatMap((state, i) => known(state, `${path}.transitions.${from}.${String(i)}`)),
    ]),
    ...schemaProblems(inbox.fields, `${path}.fields`),
    ...(inbox.suggest ?? []).flatMap((suggestion, i) => [
      ...conditionProblems(suggestion.when, `${path}.suggest.${String(i)}.when`),
      ...(actions.includes(suggestion.action) ? [] : [{ path: `${path}.suggest.${String(i)}.action`, message: `names the action ${suggestion.action}, which is not declared` }]),
    ]),
    ...(inbox.triage?.rules ?? []).flatMap((rule, i) => [
      ...conditionProblems(rule.when, `${path}.triage.rules.${String(i)}.when`),
      ...(rule.state === undefined ? [] : known(rule.state, `${path}.triage.rules.${String(i)}.state`)),
    ]),
  ];
};

const crossProblems = (manifest: Manifest): Detail[] => {
  const inboxes = (manifest.inboxes ?? []).map((inbox) => inbox.name);
  const resources = (manifest.resources ?? []).map((resource) => resource.name);
  const resourceKnown = (resource: string | null | undefined, path: string): Detail[] =>
    resource === undefined || resource === null || resources.includes(resource) ? [] : [{ path, message: `names the resource ${resource}, which is not declared` }];
  return [
    ...twice(resources, 'resources'),
    ...twice(inboxes, 'inboxes'),
    ...twice((manifest.views ?? []).map((view) => view.name), 'views'),
    ...twice((manifest.actions ?? []).map((action) => action.name), 'actions'),
    ...twice((manifest.pages ?? []).map((page) => page.name), 'pages'),
    ...twice((manifest.flags ?? []).map((flag) => flag.key), 'flags'),
    ...(manifest.inboxes ?? []).flatMap((inbox, i) => inboxProblems(inbox, `inboxes.${String(i)}`, manifest)),
    ...(manifest.views ?? []).flatMap((view, i) =>
      view.inbox === undefined || inboxes.includes(view.inbox) ? [] : [{ path: `views.${String(i)}.inbox`, message: `names the inbox ${view.inbox}, which is not declared` }]),
    ...(manifest.resources ?? []).flatMap((resource, i) =>
      (resource.relations ?? []).flatMap((relation, j) => resourceKnown(relation.resource, `resources.${String(i)}.relations.${String(j)}.resource`))),
    ...(manifest.actions ?? []).flatMap((action, i) => [
      ...resourceKnown(action.resource, `actions.${String(i)}.resource`),
      ...schemaProblems(action.input, `actions.${String(i)}.input`),
      ...conditionProblems(action.when, `actions.${String(i)}.when`),
    ]),
    ...(manifest.flags ?? []).flatMap((flag, i) => {
      const fits = flag.kind === 'json' || typeof flag.default === flag.kind;
      return fits ? [] : [{ path: `flags.${String(i)}.default`, message: `must be a ${flag.kind}` }];
    }),
  ];
};

/** Every problem of a manifest at once; an empty list means that it can be used. */
export const manifestProblems = (value: unknown): Detail[] => {
  const problems = check(value);
  return problems.length > 0 ? [...problems] : crossProblems(value as Manifest);
};

/** A manifest that holds, or `400 invalid` with every problem in `details`. */
export const parseManifest = (value: unknown): Manifest => {
  const manifest = typed(value);
  const problems = crossProblems(manifest);
  if (problems.length > 0) throw fault('invalid', 'The manifest is not valid; see details.', { details: problems });
  return manifest;
};
