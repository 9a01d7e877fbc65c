/** Changes of the settings, with a fresh sign-in where the API requires one. Used by their pages. */
import type { QueryKey } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useFreshSignIn } from '../shell/freshSignIn.tsx';
import { useSession } from '../shell/session.ts';

interface Change {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

interface SettingsChanges {
  /** Makes a change and returns the answer. Throws what the API refuses. */
  call<T>(change: Change): Promise<T>;
  /** Makes a change and says so, or why it was refused; returns whether it was made. */
  change<T>(change: Change, done: string | ((answer: T) => string)): Promise<boolean>;
  readonly dialog: ReactNode;
}

/** `touched`: query keys that are invalidated after a change. */
export const useSettingsChange = (...touched: readonly QueryKey[]): SettingsChanges => {
  const { http, queries, notices } = useSession();
  const { run, dialog } = useFreshSignIn();
  const call = async <T>({ method, path, body = {} }: Change): Promise<T> => {
    try {
      return (await run(() => http.call<T>(method, path, { body }))).body;
    } finally {
      for (const queryKey of touched) void queries.invalidateQueries({ queryKey });
    }
  };
  return {
    call,
    dialog,
    change: async <T>(given: Change, done: string | ((answer: T) => string)) => {
      let text = '';
      try {
        const answer = await call<T>(given);
        text = typeof done === 'string' ? done : done(answer);
      } catch (failure) {
        notices.failed(failure);
        return false;
      }
      notices.done(text);
      return true;
    },
  };
};
