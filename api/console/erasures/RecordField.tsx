/** The id of the record of a person to erase, found by the words of it too. Used by EraseForm. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { useTypedSearch } from '../ui/typedSearch.ts';
import { searchRecordsQuery } from '../wire/recordQueries.ts';
import type { AppRecord } from '../wire/types.ts';
import { erasureTexts } from './texts.tsx';

const texts = erasureTexts.form;

/** Shorter words find too much, and so many records are offered. */
const [wordsLeast, offeredMost] = [2, 6];

interface RecordFieldProps {
  readonly resource: string;
  readonly id: string;
  /** Why the id can't be meant, or may not be; null: nothing speaks against it. */
  readonly problem: string | null;
  readonly onId: (id: string) => void;
}

export const RecordField = ({ resource, id, problem, onId }: RecordFieldProps) => {
  const { http } = useSession();
  const [searched, setSearched] = useState('');
  const [, setWords] = useTypedSearch(searched, setSearched);
  const [picked, setPicked] = useState<AppRecord | null>(null);
  const isSearch = searched.length >= wordsLeast;
  const { data } = useQuery({
    ...searchRecordsQuery(http, searched),
    enabled: isSearch,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const isPicked = picked !== null && picked.resource === resource && picked.id === id.trim();
  const found = !isSearch || isPicked ? [] : (data?.results ?? []).filter(({ record }) => record.resource === resource);
  return (
    <>
      <label>
        {texts.id}
        <input
          required
          maxLength={200}
          autoFocus
          autoComplete="off"
          spellCheck={false}
          aria-invalid={problem !== null}
          value={id}
          onChange={({ target }) => {
            onId(target.value);
            setWords(target.value);
          }}
        />
      </label>
      {isPicked && (
        <p className="soft" role="status" dir="auto">
          {texts.picked(picked.title)}
        </p>
      )}
      {problem !== null && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {isSearch && !isPicked && data?.incomplete.includes(resource) === true && (
        <p className="hint" role="status">
          {texts.notSearched}
        </p>
      )}
      {found.length > 0 && (
        <ul className="links" aria-label={texts.found}>
          {found.slice(0, offeredMost).map(({ record, matched }) => (
            <li key={record.id}>
              <Button
                tone="bare"
                onClick={() => {
                  setPicked(record);
                  onId(record.id);
                }}
              >
                <span dir="auto">{record.title}</span>{' '}
                <span className="soft" dir="auto">
                  {texts.foundBy(record.id, matched === record.title ? null : matched)}
                </span>
              </Button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
};
