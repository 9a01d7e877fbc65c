/** The members of a request's target and of its input with the labels and values that people know from the other pages, and the figures that it is about. Used by the queue and the parts of a decision. */
import { type Field, inputText, toForm } from '../actions/schema.ts';
import { rampMember } from '../content/difference.ts';
import { useNames } from '../content/names.ts';
import { currencyIn, isObject, legible, shownAs, toWords } from '../content/values.ts';
import { baseText, planText, rampText, valueText } from '../flags/words.ts';
import { useRead } from '../shell/session.ts';
import { actionsQuery, resourcesQuery } from '../wire/actionQueries.ts';
import type { Approval, Flag, Ramp } from '../wire/types.ts';
import { requestTexts } from './texts.tsx';

/** Returns the ramp of a flag in words; undefined: there is none. */
const rampWords = (value: unknown): string | undefined => {
  if (!isObject(value)) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a flag's ramp, as the API answers it
  const ramp = value as Ramp;
  return ramp.status === 'running' || ramp.status === 'scheduled' ? planText(ramp) : rampText(ramp);
};

/** Returns a member of a flag in words; undefined: it has none of its own. `target`: the flag that has it. */
const flagText = (name: string, value: unknown, target: unknown): string | undefined => {
  if (name === rampMember) return rampWords(value);
  if (name === 'rollout' && isObject(target))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a flag, as the API answers it
    return baseText({ ...target, rollout: value ?? null } as unknown as Flag);
  return typeof value === 'boolean' ? valueText(value) : undefined;
};

type Members = Readonly<Record<string, unknown>>;

export interface Fact {
  readonly name: string;
  readonly label: string;
  readonly text: string;
}

/** A member that the input leaves out. */
interface LeftOutMember {
  readonly name: string;
  readonly label: string;
  /** What the declaration says of it; null: nothing. */
  readonly about: string | null;
}

interface RequestWords {
  /** The label of the record's resource. */
  readonly resourceLabel: string;
  /** Returns the label of a dotted member of the target. */
  readonly labelOf: (name: string) => string;
  /** Returns a value of such a member as text; `target`: what has it. */
  readonly textOf: (name: string, value: unknown, target: unknown) => string;
  /** Returns the values of the record, declared ones in their order first. */
  readonly fieldsOf: (fields: Members) => readonly Fact[];
  /** Returns the members of the action's input, those that are left out included. */
  readonly inputOf: (input: Members) => readonly Fact[];
  /** Returns the members that the input leaves out. */
  readonly leftOutOf: () => readonly LeftOutMember[];
}

const prefix = 'fields.';

/** Returns the fields of the record that a target is. */
const fieldsIn = (target: unknown): unknown => (isObject(target) ? target['fields'] : undefined);

export const useWords = ({ action, operation, resource, flag, before, now, leftOut }: Approval): RequestWords => {
  const names = useNames();
  const { data: resources } = useRead(resourcesQuery, { enabled: resource !== null });
  const { action: ofBulk }: { readonly action?: unknown } = operation ?? {};
  const actionName = action ?? ofBulk;
  const { data: actions } = useRead(actionsQuery, { enabled: typeof actionName === 'string' });
  const declared = resources?.find(({ name }) => name === resource);
  const schema = actions?.find(({ name }) => name === actionName)?.input;
  const form = schema === undefined ? null : toForm(schema, fieldsIn(now ?? before));
  const members = form?.kind === 'group' ? form.members : [];
  const fieldOf = (name: string) =>
    name.startsWith(prefix) ? declared?.fields.find((field) => field.name === name.slice(prefix.length)) : undefined;
  const personOf = (value: unknown): string | undefined =>
    value === names.me ? names.of(names.me) : names.people.find(({ id }) => id === value)?.name;
  const labelOf = (name: string): string =>
    legible(fieldOf(name)?.label ?? toWords(name.startsWith(prefix) ? name.slice(prefix.length) : name));
  const textOf = (name: string, value: unknown, target: unknown): string =>
    (flag === null ? undefined : flagText(name, value, target)) ??
    personOf(value) ??
    shownAs(fieldOf(name)?.type ?? null, value, currencyIn(fieldOf(name)?.currency, fieldsIn(target)));
  const memberOf = (name: string): Field | undefined => members.find((member) => member.name === name);
  const labelOfInput = (name: string): string => legible(memberOf(name)?.label ?? toWords(name));
  return {
    resourceLabel: legible(declared?.label ?? resource ?? ''),
    labelOf,
    textOf,
    fieldsOf: (fields) => {
      const known = declared?.fields.map(({ name }) => name).filter((name) => Object.hasOwn(fields, name)) ?? [];
      return [...new Set([...known, ...Object.keys(fields)])].map((name) => ({
        name,
        label: labelOf(`${prefix}${name}`),
        text: textOf(`${prefix}${name}`, fields[name], { fields }),
      }));
    },
    inputOf: (input) => {
      const given = Object.keys(input).filter((name) => input[name] !== null);
      const known = members.map(({ name }) => name);
      return [...new Set([...known, ...Object.keys(leftOut ?? {}), ...given])].map((name) => ({
        name,
        label: labelOfInput(name),
        text: given.includes(name)
          ? ((flag === null ? undefined : flagText(name, input[name], { ...now, ...input })) ??
            personOf(input[name]) ??
            inputText(memberOf(name), input[name], input))
          : requestTexts.notGiven,
      }));
    },
    leftOutOf: () =>
      Object.entries(leftOut ?? {}).map(([name, about]) => ({
        name,
        label: labelOfInput(name),
        about: typeof about === 'string' ? legible(about) : null,
      })),
  };
};

/** Returns sentences such as "Amount: left out. Absent: all of it", one for each absent member with a description. */
export const useLeftOut = (approval: Approval): readonly string[] => {
  const { leftOutOf } = useWords(approval);
  return leftOutOf().flatMap(({ label, about }) => (about === null ? [] : [requestTexts.leftOut(label, about)]));
};

/** Shows the members that a request's input leaves out, with their descriptions: an absent amount may mean all of it. */
export const LeftOut = ({ approval }: { readonly approval: Approval }) =>
  useLeftOut(approval).map((text) => (
    <p key={text} dir="auto">
      {text}
    </p>
  ));

/** Returns the amounts among the fields of a record, such as "Order total 129 EUR"; none: it has no amounts, or they were not read. */
const useAmountsOf = (resource: string | null, fields: unknown): readonly string[] => {
  const { data: resources } = useRead(resourcesQuery, { enabled: isObject(fields) });
  if (!isObject(fields) || resource === null) return [];
  const declared = resources?.find(({ name }) => name === resource)?.fields ?? [];
  return declared
    .filter(({ name, type }) => type === 'money' && typeof fields[name] === 'number')
    .map(({ name, label, type, currency }) =>
      requestTexts.sum(
        legible(toWords(resource)),
        legible(label),
        shownAs(type, fields[name], currencyIn(currency, fields)),
      ),
    );
};

/** Returns the amounts of the record while its request waits for a decision. */
const useAmounts = ({ status, resource, record, now }: Approval): readonly string[] =>
  useAmountsOf(resource, status === 'pending' && record !== null && isObject(now) ? now['fields'] : undefined);

/** Returns the figures of a request, such as "Amount 5" and "Order total 129 EUR". */
export const useFigures = (approval: Approval): readonly string[] => {
  const { status, input, operation } = approval;
  const { input: inputOfBulk }: { readonly input?: unknown } = operation ?? {};
  const { inputOf } = useWords(approval);
  const amounts = useAmounts(approval);
  const given: Readonly<Record<string, unknown>> = { ...(isObject(inputOfBulk) ? inputOfBulk : input) };
  const numbers = status === 'pending' ? inputOf(given).filter(({ name }) => typeof given[name] === 'number') : [];
  return [...numbers.map(({ label, text }) => requestTexts.figure(label, text)), ...amounts];
};

/** Returns figures in a row; empty: there are none. */
export const figuresText = (figures: readonly string[]): string => figures.join(' · ');

export const Sums = ({ approval }: { readonly approval: Approval }) => {
  const figures = figuresText(useFigures(approval));
  return figures === '' ? null : <p dir="auto">{figures}</p>;
};

/** The amounts of a record of a bulk. */
export const RecordAmounts = ({ resource, fields }: { readonly resource: string; readonly fields: unknown }) => {
  const amounts = figuresText(useAmountsOf(resource, fields));
  return amounts !== '' && <span dir="auto">{` · ${amounts}`}</span>;
};
