/** A customer's app that does nothing, built with the SDK as any other: what actions are measured with. */
import { connect, defineApp, type Client } from '../../../shared/sdk/index.ts';
import { answerCalls } from '../ipc.ts';

const app = defineApp({
  actions: {
    now: { label: 'Now', run: () => 'Done.' },
    later: { label: 'Later', background: true, run: () => 'Done.' },
  },
});

let client: Client | null = null;

answerCalls({
  /** Resolves once it is registered. */
  start: ({ url, key }: { url: string; key: string }) =>
    new Promise<void>((resolve) => {
      client = connect({ url, key, app, concurrency: 1_000 });
      client.on('registered', () => {
        resolve();
      });
    }),
  leave: async () => {
    await client?.close();
    client = null;
  },
});
