/**
 * An OpenFeature provider over `client.flags` (https://openfeature.dev/specification/sections/providers), for apps that
 * use @openfeature/server-sdk. Its types follow the specification, so that the SDK depends on no package for it.
 */
import type { Client } from './client.ts';
import type { FlagContext } from './flags.ts';

interface Resolution<T> {
  readonly value: T;
  readonly reason: string;
  readonly variant?: string;
  readonly errorCode?: never;
  readonly errorMessage?: string;
}

type Handler = (details?: { readonly providerName: string; readonly flagsChanged?: string[] }) => unknown;

/** The provider's event emitter. A handler that throws stops no other. */
class Events {
  readonly #handlers = new Map<string, Set<Handler>>();

  emit(event: string, details: object = {}): void {
    for (const handler of this.getHandlers(event)) {
      void (async () => handler({ providerName: name, ...details }))().catch(() => undefined);
    }
  }

  addHandler(event: string, handler: Handler): void {
    this.#handlers.set(event, (this.#handlers.get(event) ?? new Set()).add(handler));
  }

  removeHandler(event: string, handler: Handler): void {
    this.#handlers.get(event)?.delete(handler);
  }

  removeAllHandlers(event?: string): void {
    if (event === undefined) this.#handlers.clear();
    else this.#handlers.delete(event);
  }

  getHandlers(event: string): Handler[] {
    return [...(this.#handlers.get(event) ?? [])];
  }

  setLogger(): this {
    return this;
  }
}

const name = 'console-api';

const failure = <T>(value: T, code: string, message: string): Resolution<T> => ({
  value,
  reason: 'ERROR',
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fits OpenFeature's own enum, which the SDK can't import
  errorCode: code as never,
  errorMessage: message,
});

type Typed<T> = (value: unknown) => value is T;

const resolve = <T>(
  client: Pick<Client, 'flags'>,
  [key, fallback, context]: readonly [string, T, FlagContext],
  isType: Typed<T>,
): Resolution<T> => {
  const decided = client.flags.decide(key, context);
  if (decided === null) return failure(fallback, 'FLAG_NOT_FOUND', `There is no flag ${key}.`);
  const { value, reason, variant, keyMissing } = decided;
  if (keyMissing)
    return failure(
      fallback,
      'TARGETING_KEY_MISSING',
      `The flag ${key} has a percentage: give the record id as targetingKey.`,
    );
  if (!isType(value)) return failure(fallback, 'TYPE_MISMATCH', `The flag ${key} is of kind ${decided.kind}.`);
  return { value, reason, ...(variant === null ? {} : { variant }) };
};

const isBoolean: Typed<boolean> = (value) => typeof value === 'boolean';
const isString: Typed<string> = (value) => typeof value === 'string';
const isNumber: Typed<number> = (value) => typeof value === 'number';

/**
 * Returns an OpenFeature provider of the client's flags. Evaluation never waits; `initialize` resolves with the first
 * connection. Error codes are `FLAG_NOT_FOUND`, `TARGETING_KEY_MISSING` and `TYPE_MISMATCH`, each with the default value.
 *
 * @example
 * await OpenFeature.setProviderAndWait(openFeatureProvider(client));
 * const on = await OpenFeature.getClient().getBooleanValue('new-checkout', false, { targetingKey: user.id });
 */
export const openFeatureProvider = (client: Pick<Client, 'flags' | 'on'>) => {
  const events = new Events();
  const ends = [
    client.on('flag', ({ flag }) => {
      events.emit('PROVIDER_CONFIGURATION_CHANGED', { flagsChanged: [flag] });
    }),
    client.on('offline', () => {
      events.emit('PROVIDER_STALE');
    }),
    client.on('online', () => {
      events.emit('PROVIDER_READY');
    }),
  ];
  return {
    metadata: { name },
    runsOn: 'server' as const,
    events,
    initialize: (): Promise<void> => client.flags.ready,
    onClose: (): Promise<void> => {
      for (const end of ends) end();
      return Promise.resolve();
    },
    resolveBooleanEvaluation: async (key: string, fallback: boolean, context: FlagContext) =>
      resolve(client, [key, fallback, context], isBoolean),
    resolveStringEvaluation: async (key: string, fallback: string, context: FlagContext) =>
      resolve(client, [key, fallback, context], isString),
    resolveNumberEvaluation: async (key: string, fallback: number, context: FlagContext) =>
      resolve(client, [key, fallback, context], isNumber),
    resolveObjectEvaluation: async <T>(key: string, fallback: T, context: FlagContext) =>
      resolve(
        client,
        [key, fallback, context],
        (value): value is T => typeof value === 'object' || typeof fallback === typeof value,
      ),
  };
};
