/** Stands between an API and PostgreSQL and can hold back every answer from the moment that a certain statement was sent. */
import { openRelay } from './relay.ts';

export interface Proxy {
  readonly port: number;
  /** From the first statement on that bears all of `marks`, nothing comes back. Resolves when such a one was sent. */
  hold(marks: readonly string[]): Promise<void>;
  /** Lets everything through again. */
  release(): void;
  /** Breaks every connection, what is delayed with it, and lets through what comes after. */
  cut(): void;
  close(): Promise<void>;
}

export const startProxy = async (port: number): Promise<Proxy> => {
  let marks: readonly string[] | null = null;
  let held = false;
  let caught: () => void = () => undefined;

  const relay = await openRelay(port, {
    onSent: (data) => {
      if (marks?.every((mark) => data.includes(mark)) !== true) return;
      held = true;
      caught();
    },
    letsAnswer: () => !held,
  });
  const release = (): void => {
    marks = null;
    held = false;
  };
  return {
    port: relay.port,
    hold: (wanted) =>
      new Promise((resolve) => {
        held = false;
        marks = wanted;
        caught = resolve;
      }),
    release,
    cut: () => {
      release();
      relay.breakAll();
    },
    close: () => relay.close(),
  };
};
