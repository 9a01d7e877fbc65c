/** Programs of the benchmark in processes of their own: started and called by the one that measures. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

interface Asked {
  readonly id: number;
  readonly call: string;
  readonly argument: unknown;
}
interface Answered {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** Handles, in the child, the parent's calls by name, and exits with the parent. */
export const answerCalls = (calls: Readonly<Record<string, (argument: never) => unknown>>): void => {
  process.on('message', ({ id, call, argument }: Asked) => {
    Promise.resolve()
      .then(() => calls[call]?.(argument as never))
      .then(
        (result) => process.send?.({ id, result } satisfies Answered),
        (error: unknown) =>
          process.send?.({
            id,
            error: error instanceof Error ? (error.stack ?? error.message) : String(error),
          } satisfies Answered),
      );
  });
  process.on('disconnect', () => process.exit());
  process.send?.('ready');
};

export interface Program {
  readonly pid: number;
  call<R = void>(name: string, argument?: unknown): Promise<R>;
  /** By SIGTERM, then SIGKILL. */
  stop(): Promise<void>;
}

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 12_000);
  await gone;
  clearTimeout(late);
};

/** Starts `file`; resolves when it answers calls. */
export const startProgram = async (
  file: URL,
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<Program> => {
  const child = fork(file, [], {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    execArgv: [...flags],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  let last = 0;
  const ready = new Promise<void>((resolve, reject) => {
    child.on('message', (message: 'ready' | Answered) => {
      if (message === 'ready') return resolve();
      const call = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.error === undefined) call?.resolve(message.result);
      else call?.reject(new Error(message.error));
    });
    child.on('exit', (code, signal) => {
      const error = new Error(`${file.pathname} ended (${signal ?? String(code)}).`);
      reject(error);
      for (const call of waiting.values()) call.reject(error);
    });
  });
  await ready;
  return {
    pid: child.pid ?? 0,
    call: <R>(call: string, argument?: unknown) =>
      new Promise<R>((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve: resolve as (result: unknown) => void, reject });
        child.send({ id: last, call, argument } satisfies Asked);
      }),
    stop: () => end(child),
  };
};
