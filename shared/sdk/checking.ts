/**
 * How `console-sdk check` reads a module that connects its app: `connect` hands the app to the command and dials nobody.
 * The two are bundles of their own, so that they meet at a global symbol. Used by connect.ts and the command.
 */
const key = Symbol.for('@console-api/sdk/checking');

type Connected = (app: unknown) => void;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a symbol of ours, which this file alone sets
const place = globalThis as { [key]?: Connected };

/** From now on `connect` calls `connected` with its app instead of dialing the service. */
export const beginChecking = (connected: Connected): void => {
  place[key] = connected;
};

/** Returns what is told of apps that connect; undefined: they really do. */
export const checkingListener = (): Connected | undefined => place[key];
