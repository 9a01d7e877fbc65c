/** The editor of one rule: its condition as rows, or as JSON where it is nested, what holds then, and what is typed and not sent. Used by Rules. */
import { type FormEvent, useRef, useState } from 'react';
import { isObject } from '../content/values.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { useDraft } from '../ui/draft.ts';
import { Select } from '../ui/fields.tsx';
import { parsed } from '../wire/json.ts';
import type { Flag } from '../wire/types.ts';
import { RolloutInput, ValueInput, fromInput, rolloutOf, toInput, scalarOf, scalarText } from './inputs.tsx';
import { type Rule, namesOf, newRule, ruleOf, successorOf } from './patch.ts';
import { flagTexts } from './texts.tsx';
import { conditionText, ruleText } from './words.ts';
import { wordTexts } from './wordTexts.ts';

interface Row {
  readonly field: string;
  readonly op: string;
  readonly text: string;
}

interface RowForm {
  readonly join: 'all' | 'any';
  readonly rows: readonly Row[];
}

const emptyRow: Row = { field: '', op: 'eq', text: '' };

const isList = (op: string): boolean => op === 'in' || op === 'nin';

const toRow = (condition: unknown): Row | null => {
  if (!isObject(condition) || typeof condition['field'] !== 'string') return null;
  const { field, op, value } = condition;
  const text = Array.isArray(value)
    ? value.map(scalarText).join(', ')
    : value === undefined
      ? 'true'
      : scalarText(value);
  return { field, op: String(op), text };
};

/** Returns a condition as rows; null: it is nested deeper, and is edited as JSON. */
const toRows = (condition: unknown): RowForm | null => {
  const join = isObject(condition) && Array.isArray(condition['any']) ? 'any' : 'all';
  const given =
    isObject(condition) && Array.isArray(condition[join]) ? (condition[join] as readonly unknown[]) : [condition];
  const rows = given.flatMap((each) => {
    const row = toRow(each);
    return row === null ? [] : [row];
  });
  return rows.length === given.length ? { join, rows } : null;
};

/** Returns the condition of rows. */
const fromRows = ({ join, rows }: RowForm): Readonly<Record<string, unknown>> => {
  const conditions = rows.map(({ field, op, text }) => ({
    field: field.trim(),
    op,
    value: isList(op)
      ? text
          .split(',')
          .filter((part) => part.trim() !== '')
          .map(scalarOf)
      : ['startsWith', 'endsWith', 'matchesSemver'].includes(op)
        ? text
        : scalarOf(text),
  }));
  const [only] = conditions;
  return conditions.length === 1 && only !== undefined ? only : { [join]: conditions };
};

const conditionTexts = flagTexts.rules.condition;

interface ConditionRowsProps {
  readonly form: RowForm;
  readonly onForm: (form: RowForm) => void;
}

/** A condition as lines of field, comparison and value. */
const ConditionRows = ({ form, onForm }: ConditionRowsProps) => {
  const { join, rows } = form;
  const set = (at: number, part: Partial<Row>): void =>
    onForm({ join, rows: rows.map((row, each) => (each === at ? { ...row, ...part } : row)) });
  return (
    <fieldset>
      <legend>{conditionTexts.title}</legend>
      {rows.length > 1 && (
        <Select
          aria-label={conditionTexts.join}
          value={join}
          options={[
            ['all', conditionTexts.all],
            ['any', conditionTexts.any],
          ]}
          onValue={(value) => onForm({ join: value === 'any' ? 'any' : 'all', rows })}
        />
      )}
      {rows.map(({ field, op, text }, at) => (
        <div className="condition-row" key={at}>
          <input
            aria-label={conditionTexts.field(at + 1)}
            placeholder={conditionTexts.fieldExample}
            value={field}
            maxLength={300}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => set(at, { field: target.value })}
          />
          <Select
            aria-label={conditionTexts.comparison(at + 1)}
            value={op}
            options={Object.entries(wordTexts.ops)}
            onValue={(value) => set(at, { op: value, ...(value === 'exists' ? { text: 'true' } : {}) })}
          />
          <input
            aria-label={conditionTexts.value(at + 1)}
            placeholder={op === 'in' || op === 'nin' ? conditionTexts.valuesExample : conditionTexts.valueExample}
            value={text}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => set(at, { text: target.value })}
          />
          {rows.length > 1 && (
            <Button
              tone="bare"
              aria-label={conditionTexts.remove(at + 1)}
              onClick={() => onForm({ join, rows: rows.toSpliced(at, 1) })}
            >
              ×
            </Button>
          )}
        </div>
      ))}
      <Button tone="bare" onClick={() => onForm({ join, rows: [...rows, emptyRow] })}>
        {conditionTexts.add}
      </Button>
    </fieldset>
  );
};

const texts = flagTexts.rules;

interface RuleConflictProps {
  /** In words, as `mine`; null: nothing stands in its place. */
  readonly theirs: string | null;
  /** null: it is not complete yet. */
  readonly mine: string | null;
}

/** What stands in the place of a rule that somebody else changed or removed while it was edited, beside what was typed. */
const RuleConflict = ({ theirs, mine }: RuleConflictProps) => (
  <div>
    <p className="hint" role="alert">
      {texts.conflict.about}
    </p>
    <dl className="fields">
      <div>
        <dt>{texts.conflict.theirs}</dt>
        <dd dir="auto">{theirs ?? texts.conflict.isGone}</dd>
      </div>
      {mine !== null && (
        <div>
          <dt>{texts.conflict.mine}</dt>
          <dd dir="auto">{mine}</dd>
        </div>
      )}
    </dl>
  </div>
);

/** The fields of a rule's form as they are typed. */
interface RuleDraft {
  /** Empty: the condition is nested, and is edited as JSON. */
  readonly rows: string;
  readonly json: string;
  readonly rollout: string;
  readonly value: string;
  /** The names of the rules that were there when the typing began. */
  readonly base: readonly string[];
}

type RuleDrafts = Readonly<Record<string, RuleDraft>>;

const parsedDrafts = (text: string): RuleDrafts =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the function below wrote
  (parsed(text) ?? {}) as RuleDrafts;

/** Returns the drafts by the names of their rules, and the function that keeps one, or forgets it by null. */
export const useRuleDrafts = (flag: string): readonly [RuleDrafts, (name: string, draft: RuleDraft | null) => void] => {
  const { environment } = useSession();
  const [text, setText] = useDraft(`${environment}.rules.${flag}`);
  // An answer clears the draft that was sent, not a later one.
  const newest = useRef(text);
  newest.current = text;
  const keep = (name: string, draft: RuleDraft | null): void => {
    const { [name]: _, ...others } = parsedDrafts(newest.current);
    const next: RuleDrafts = draft === null ? others : { ...others, [name]: draft };
    newest.current = Object.keys(next).length === 0 ? '' : JSON.stringify(next);
    setText(newest.current);
  };
  return [parsedDrafts(text), keep];
};

interface RuleEditorProps {
  readonly flag: Flag;
  /** Of the rule as it was when its editor was opened. */
  readonly name: string;
  readonly draft: RuleDraft | undefined;
  /** Keeps what is typed; null forgets it. */
  readonly onDraft: (draft: RuleDraft | null) => void;
  /** Saves it in the place of the rule of that name; null: as one more. Returns whether it was saved. */
  readonly onSave: (rule: Rule, replaced: string | null) => Promise<boolean>;
  readonly onClose: () => void;
}

/** Returns the form of a rule as it is; `base`: the names of all. */
const formOf = ({ kind, default: otherwise }: Flag, rule: Rule | null, base: readonly string[]): RuleDraft => {
  const rows = rule === null ? { join: 'all' as const, rows: [emptyRow] } : toRows(rule['when']);
  return {
    rows: rows === null ? '' : JSON.stringify(rows),
    json: JSON.stringify(rule?.['when'] ?? {}, null, 2),
    rollout: typeof rule?.['rollout'] === 'number' ? String(rule['rollout']) : '',
    value: toInput(kind, rule?.['value'] ?? (kind === 'boolean' ? true : otherwise)),
    base,
  };
};

/** Returns whether nothing is typed that differs. */
const isSame = (a: RuleDraft, b: RuleDraft): boolean =>
  (['rows', 'json', 'rollout', 'value'] as const).every((name) => a[name] === b[name]);

const said = (rule: Rule): string => texts.conflict.said(conditionText(rule['when']), ruleText(rule));

export const RuleEditor = ({ flag, name, draft, onDraft, onSave, onClose }: RuleEditorProps) => {
  const names = namesOf(flag.rules);
  const [opened] = useState(() => formOf(flag, ruleOf(name), names));
  const fields = draft ?? opened;
  const set = (part: Partial<RuleDraft>): void => {
    const next = { ...fields, ...part };
    onDraft(isSame(next, opened) ? null : next);
  };
  const [isBusy, setBusy] = useState(false);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what this form wrote
  const form = fields.rows === '' ? null : (JSON.parse(fields.rows) as RowForm);
  const when = form === null ? parsed(fields.json) : fromRows(form);
  const value = fromInput(flag.kind, fields.value);
  const rollout = rolloutOf(fields.rollout);
  const problem =
    when === undefined
      ? texts.form.isNoJson
      : form?.rows.some(({ field }) => field.trim() === '') === true
        ? texts.form.needsField
        : rollout === undefined
          ? texts.form.isNoRollout
          : value === undefined
            ? texts.form.isNo(flag.kind)
            : null;
  const mine: Rule = rollout === null ? { when, value } : { when, rollout };
  // The answer to its own change may come after the word that the list has changed.
  const isContested = name !== newRule && !names.includes(name) && !isBusy;
  const at = isContested ? successorOf(name, fields.base, names) : null;
  const theirs = at === null ? undefined : flag.rules[at];
  const close = (): void => {
    onDraft(null);
    onClose();
  };
  const save = async (replaced: string | null): Promise<void> => {
    if (problem !== null || isBusy) return;
    setBusy(true);
    const isDone = await onSave(mine, replaced);
    setBusy(false);
    if (isDone) close();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // Where mine goes is decided by a button of its own.
    if (!isContested) void save(name === newRule ? null : name);
  };
  return (
    <form className="rule-form" aria-label={texts.form.title} onSubmit={submit}>
      {form === null ? (
        <label>
          {texts.form.whenAsJson}
          <textarea
            rows={6}
            spellCheck={false}
            value={fields.json}
            onChange={({ target }) => set({ json: target.value })}
          />
        </label>
      ) : (
        <ConditionRows form={form} onForm={(next) => set({ rows: JSON.stringify(next) })} />
      )}
      <div className="flag-form">
        {typeof rollout !== 'number' && (
          <ValueInput
            kind={flag.kind}
            label={texts.form.value}
            text={fields.value}
            onText={(text) => set({ value: text })}
          />
        )}
        {flag.kind === 'boolean' && (
          <RolloutInput label={texts.form.rollout} text={fields.rollout} onText={(text) => set({ rollout: text })} />
        )}
      </div>
      {problem !== null && <p className="soft">{problem}</p>}
      {isContested && (
        <RuleConflict theirs={theirs === undefined ? null : said(theirs)} mine={problem === null ? said(mine) : null} />
      )}
      <div className="verdict-buttons">
        {isContested ? (
          <>
            <Button disabled={problem !== null} onClick={() => void save(null)}>
              {texts.conflict.add}
            </Button>
            {at !== null && (
              <Button disabled={problem !== null} onClick={() => void save(names[at] ?? null)}>
                {texts.conflict.replace}
              </Button>
            )}
          </>
        ) : (
          <Button type="submit" tone="main" disabled={isBusy || problem !== null}>
            {texts.form.save}
          </Button>
        )}
        <Button onClick={close}>{isContested ? texts.conflict.discard : texts.form.discard}</Button>
      </div>
    </form>
  );
};
