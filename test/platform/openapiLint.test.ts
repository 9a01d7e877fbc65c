/** The API's document keeps the rules that tools expect (redocly.yaml), without a warning. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { endpoints } from '../../api/endpoints.ts';
import { buildOpenApiDocument } from '../../api/openapi.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('the OpenAPI document, as linters see it', () => {
  it('has neither errors nor warnings', () => {
    const dir = mkdtempSync(join(tmpdir(), 'openapi-'));
    try {
      const file = join(dir, 'openapi.json');
      writeFileSync(file, JSON.stringify(buildOpenApiDocument(endpoints, 'https://console.example.org')));
      const { stdout, stderr } = spawnSync(
        process.execPath,
        [
          join(root, 'node_modules/@redocly/cli/bin/cli.js'),
          'lint',
          file,
          '--config',
          join(root, 'redocly.yaml'),
          '--format',
          'json',
        ],
        { encoding: 'utf8', env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
      );
      const { problems } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as {
        readonly problems: readonly { readonly ruleId: string; readonly message: string }[];
      };
      expect(
        problems.map(({ ruleId, message }) => `${ruleId}: ${message}`),
        stderr.slice(-500),
      ).to.deep.equal([]);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});
