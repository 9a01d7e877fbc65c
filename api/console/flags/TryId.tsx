/** What a flag is for one id and attributes, and what decided it. Used by FlagsPage. */
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { TextInput } from '../ui/fields.tsx';
import { Section } from '../ui/PageParts.tsx';
import { parsed } from '../wire/json.ts';
import type { Flag } from '../wire/types.ts';
import { flagTexts } from './texts.tsx';
import { valueText } from './words.ts';

const texts = flagTexts.trial;

interface Evaluation {
  readonly value: unknown;
  readonly metadata: { readonly decidedBy: 'target' | 'rule' | 'rollout' | 'value'; readonly rule?: number };
}

const Decided = ({ evaluation: { value, metadata } }: { readonly evaluation: Evaluation }) => {
  const shown = <strong>{valueText(value)}</strong>;
  switch (metadata.decidedBy) {
    case 'target':
      return texts.byTarget(shown);
    case 'rule':
      return texts.byRule(shown, (metadata.rule ?? 0) + 1);
    case 'rollout':
      return texts.byRollout(shown);
    case 'value':
      return texts.byValue(shown);
  }
};

/** Returns the attributes of lines such as `plan = team`; null: a line is none. */
const attributesOf = (text: string): Readonly<Record<string, unknown>> | null => {
  const attributes: Record<string, unknown> = {};
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const [name = '', ...rest] = line.split('=');
    if (rest.length === 0 || name.trim() === '') return null;
    const value = rest.join('=').trim();
    const read = parsed(value);
    attributes[name.trim()] = read === undefined ? value : read;
  }
  return attributes;
};

export const TryId = ({ flag }: { readonly flag: Flag }) => {
  const { http } = useSession();
  const [id, setId] = useState('');
  const [lines, setLines] = useState('');
  const [context, setContext] = useState<Readonly<Record<string, unknown>> | null>(null);
  const attributes = attributesOf(lines);
  const { data, error } = useQuery({
    queryKey: ['flag', flag.flag, 'try', context, flag.version],
    queryFn: async ({ signal }) =>
      (
        await http.call<Evaluation>('POST', `/ofrep/v1/evaluate/flags/${encodeURIComponent(flag.flag)}`, {
          body: { context },
          signal,
        })
      ).body,
    enabled: context !== null,
    retry: false,
    placeholderData: (earlier) => earlier,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (attributes !== null) setContext({ ...attributes, ...(id.trim() === '' ? {} : { targetingKey: id.trim() }) });
  };
  return (
    <Section title={texts.title}>
      <form className="flag-form" onSubmit={submit}>
        <TextInput
          label={flag.resource === null ? texts.recordId : texts.id(flag.resource)}
          value={id}
          spellCheck={false}
          onValue={setId}
        />
        <label>
          {texts.attributes}
          <textarea
            rows={1}
            placeholder={texts.attributesExample}
            value={lines}
            spellCheck={false}
            onChange={({ target }) => setLines(target.value)}
          />
        </label>
        <Button type="submit" disabled={attributes === null}>
          {texts.deed}
        </Button>
      </form>
      {attributes === null && <p className="problem">{texts.isNoAttribute}</p>}
      <p role="status">
        {error !== null && <span className="problem">{error.message}</span>}
        {error === null && data !== undefined && context !== null && <Decided evaluation={data} />}
      </p>
    </Section>
  );
};
