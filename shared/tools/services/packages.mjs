// Installs the packages for development when they are missing; run before the commands of package.json that need them.
import { install } from './install.mjs';
import { say, sayToStderr, StartFailure } from './say.mjs';
import { stopAll, stopOnSignals } from './stopping.mjs';

sayToStderr();
stopOnSignals((signal) => (signal === 'SIGINT' ? 130 : 143));
try {
  await install({ dev: true });
} catch (error) {
  if (!(error instanceof StartFailure)) throw error;
  say(error.message);
  process.exitCode = 1;
}
await stopAll();
