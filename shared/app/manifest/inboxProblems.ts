/** Checks an inbox of a manifest beyond its form and the schema of its fields. Used by manifestProblems.ts. */
import type { FaultDetail } from '../../catalogue/errors.ts';
import { defaultPriorities, defaultStates, type StateDefinition } from '../../catalogue/states.ts';
import { didYouMean } from '../../platform/words/nearestNames.ts';
import { blockProblems, hasTemplates, templateProblems } from '../blocks/manifestBlocks.ts';
import { formProblems } from './formKeywords.ts';
import type { Manifest, ManifestInbox } from './manifest.ts';
import { type NumericFields, numericItemFields, numericRecordFields, subjectProblems } from './orderedTexts.ts';

/** Returns a problem for each repeated name, at `path` and its index. */
export const duplicateNames = (names: readonly string[], path: string): FaultDetail[] => {
  const seen = new Set<string>();
  return names.flatMap((name, i) => {
    const isKnown = seen.has(name);
    seen.add(name);
    return isKnown ? [{ path: `${path}.${String(i)}`, message: `declares ${name} a second time` }] : [];
  });
};

export const inboxStates = ({ states }: Pick<ManifestInbox, 'states'>): readonly StateDefinition[] =>
  states ?? defaultStates;

/** The names of an inbox that lists are filtered by, by the filter. */
export const inboxNames: ReadonlyMap<string, (inbox: ManifestInbox) => readonly string[]> = new Map([
  ['state', (inbox) => inboxStates(inbox).map(({ name }) => name)],
  ['priority', ({ priorities }) => priorities ?? defaultPriorities],
]);

const roots = ['item', 'record'];

type StateCheck = (state: string, path: string) => FaultDetail[];

const stateProblems = (inbox: ManifestInbox, path: string, known: StateCheck): FaultDetail[] => [
  ...duplicateNames(
    inboxStates(inbox).map(({ name }) => name),
    `${path}.states`,
  ),
  ...duplicateNames(inbox.priorities ?? [], `${path}.priorities`),
  ...(inbox.initial === undefined ? [] : known(inbox.initial, `${path}.initial`)),
  ...Object.entries(inbox.transitions ?? {}).flatMap(([from, to]) => [
    ...known(from, `${path}.transitions.${from.slice(0, 100)}`),
    ...to.flatMap((state, i) => known(state, `${path}.transitions.${from.slice(0, 100)}.${String(i)}`)),
  ]),
];

const suggestProblems = (
  { suggest = [] }: ManifestInbox,
  path: string,
  { actions = [] }: Manifest,
  numeric: NumericFields,
): FaultDetail[] =>
  suggest.flatMap((suggestion, i) => {
    const at = `${path}.suggest.${String(i)}`;
    return [
      ...(suggestion.when === undefined ? [] : subjectProblems(suggestion.when, `${at}.when`, numeric)),
      ...(actions.some(({ name }) => name === suggestion.action)
        ? []
        : [
            {
              path: `${at}.action`,
              message: `names the action ${suggestion.action}, which is not declared${didYouMean(
                suggestion.action,
                actions.map(({ name }) => name),
              )}`,
            },
          ]),
      ...templateProblems(suggestion.input ?? {}, `${at}.input`, roots),
    ];
  });

const triageProblems = (inbox: ManifestInbox, path: string, known: StateCheck, numeric: NumericFields): FaultDetail[] =>
  (inbox.triage?.rules ?? []).flatMap((rule, i) => {
    const at = `${path}.triage.rules.${String(i)}`;
    const canClose = inboxStates(inbox).some(({ kind }) => kind === 'closed');
    return [
      ...subjectProblems(rule.when, `${at}.when`, numeric),
      ...(rule.state === undefined ? [] : known(rule.state, `${at}.state`)),
      ...(rule.close === true && rule.state !== undefined
        ? [{ path: `${at}.state`, message: 'can’t be there together with close' }]
        : []),
      ...(rule.close === true && !canClose
        ? [{ path: `${at}.close`, message: 'needs a closed state, and the inbox has none' }]
        : []),
      ...duplicateNames(rule.tags ?? [], `${at}.tags`),
    ];
  });

const replyProblems = ({ reply }: ManifestInbox, path: string): FaultDetail[] =>
  reply === null || reply === undefined || reply.via === 'app'
    ? []
    : [
        ...templateProblems(reply.to, `${path}.to`, roots),
        ...templateProblems(reply.inReplyTo ?? '', `${path}.inReplyTo`, roots),
        ...(hasTemplates(reply.from) ? [{ path: `${path}.from`, message: 'can’t hold templates' }] : []),
      ];

/** Returns the problems of an inbox whose form is valid. */
export const inboxProblems = (inbox: ManifestInbox, path: string, manifest: Manifest): FaultDetail[] => {
  const states = inboxStates(inbox).map(({ name }) => name);
  const known: StateCheck = (state, at) =>
    states.includes(state)
      ? []
      : [{ path: at, message: `names the state ${state.slice(0, 100)}; the inbox has ${states.join(', ')}` }];
  const numeric = new Map([...numericRecordFields(manifest.resources ?? []), ...numericItemFields(inbox)]);
  return [
    ...stateProblems(inbox, path, known),
    ...formProblems(inbox.fields, `${path}.fields`, {
      resources: (manifest.resources ?? []).map(({ name }) => name),
      fields: [],
    }),
    ...replyProblems(inbox, `${path}.reply`),
    ...suggestProblems(inbox, path, manifest, numeric),
    ...triageProblems(inbox, path, known, numeric),
    ...(inbox.blocks ?? []).flatMap((block, i) => blockProblems(block, `${path}.blocks.${String(i)}`, roots)),
  ];
};
