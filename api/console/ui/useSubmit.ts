/** Sends a form once at a time, and keeps why it was refused. Used by the forms of the settings and of passwords. */
import { useState, type FormEvent } from 'react';

interface Submission {
  /** What the last one was refused with; null: it was not. */
  readonly error: unknown;
  readonly isBusy: boolean;
  readonly submit: (event: FormEvent) => void;
}

export const useSubmit = (work: () => Promise<void>): Submission => {
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setError(null);
    await work().catch(setError);
    setBusy(false);
  };
  return {
    error,
    isBusy,
    submit: (event) => {
      event.preventDefault();
      void send();
    },
  };
};
