/** The editor of one rule: its condition as rows, or as JSON where it is nested, and what holds then. Used by Rules. */
import { useState, type FormEvent } from 'react';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { useFormDraft } from '../ui/draft.ts';
import type { Flag } from '../wire/types.ts';
import { emptyRow, fromRows, toRows, type RowForm } from './condition.ts';
import { ConditionRows } from './ConditionRows.tsx';
import { RolloutInput } from './RolloutInput.tsx';
import { ruleTexts } from './ruleTexts.tsx';
import { fromInput, rolloutOf, toInput } from './value.ts';
import { ValueInput } from './ValueInput.tsx';

const texts = ruleTexts.form;

type Rule = Readonly<Record<string, unknown>>;

interface RuleEditorProps {
  readonly flag: Flag;
  /** The place of the rule in the list. */
  readonly at: number;
  /** null: a new one. */
  readonly rule: Rule | null;
  /** Returns whether it was saved. */
  readonly onSave: (rule: Rule) => Promise<boolean>;
  readonly onClose: () => void;
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export const RuleEditor = ({ flag, at, rule, onSave, onClose }: RuleEditorProps) => {
  const { environment } = useSession();
  const start = rule === null ? { join: 'all' as const, rows: [emptyRow] } : toRows(rule['when']);
  const [fields, set, forget] = useFormDraft(`${environment}.rule.${flag.flag}.${String(at)}`, {
    rows: start === null ? '' : JSON.stringify(start),
    json: JSON.stringify(rule?.['when'] ?? {}, null, 2),
    rollout: typeof rule?.['rollout'] === 'number' ? String(rule['rollout']) : '',
    value: toInput(flag.kind, rule?.['value'] ?? (flag.kind === 'boolean' ? true : flag.default)),
  });
  const [isBusy, setBusy] = useState(false);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what this form wrote
  const form = fields.rows === '' ? null : (JSON.parse(fields.rows) as RowForm);
  const when = form === null ? parsed(fields.json) : fromRows(form);
  const value = fromInput(flag.kind, fields.value);
  const rollout = rolloutOf(fields.rollout);
  const problem =
    when === undefined
      ? texts.isNoJson
      : form?.rows.some(({ field }) => field.trim() === '') === true
        ? texts.needsField
        : rollout === undefined
          ? texts.isNoRollout
          : value === undefined
            ? texts.isNo(flag.kind)
            : null;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (problem !== null || isBusy) return;
    setBusy(true);
    const isDone = await onSave(rollout === null ? { when, value } : { when, rollout });
    setBusy(false);
    if (!isDone) return;
    forget();
    onClose();
  };
  return (
    <form className="rule-form" aria-label={texts.title} onSubmit={(event) => void submit(event)}>
      {form === null ? (
        <label>
          {texts.whenAsJson}
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
            label={texts.value}
            text={fields.value}
            onText={(text) => set({ value: text })}
          />
        )}
        {flag.kind === 'boolean' && (
          <RolloutInput label={texts.rollout} text={fields.rollout} onText={(text) => set({ rollout: text })} />
        )}
      </div>
      {problem !== null && <p className="soft">{problem}</p>}
      <div className="verdict-buttons">
        <Button type="submit" tone="main" disabled={isBusy || problem !== null}>
          {texts.save}
        </Button>
        <Button
          onClick={() => {
            forget();
            onClose();
          }}
        >
          {texts.discard}
        </Button>
      </div>
    </form>
  );
};
