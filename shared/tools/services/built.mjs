// Says what to do when there is no build yet; run before the commands of package.json that run one.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

if (!existsSync(join(root, 'dist/api/main.js'))) {
  process.stderr.write('There is no build in dist/ yet: run npm run build first.\n');
  process.exitCode = 1;
}
