/** An app of the SDK on a fake service, closed after each test. */
import { afterEach } from 'mocha';
import { connect, type App, type Client, type ConnectOptions, type LinkProblem } from '../../shared/sdk/index.ts';
import { fakeService, quick, type FakeService } from './fakeService.ts';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

export const service = async (): Promise<FakeService> => {
  const made = await fakeService();
  open.push(made);
  return made;
};

export interface Connected {
  readonly client: Client;
  readonly problems: LinkProblem[];
}

export const connected = (fake: FakeService, app: App, options: Partial<ConnectOptions> = {}): Connected => {
  const problems: LinkProblem[] = [];
  const client = connect({
    app,
    url: fake.url,
    key: 'capp_test',
    onError: (problem) => void problems.push(problem),
    ...options,
    timing: { ...quick, ...options.timing },
  });
  open.push({ close: () => client.close({ drainMs: 0 }) });
  return { client, problems };
};
