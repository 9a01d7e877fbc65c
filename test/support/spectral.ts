/**
 * Spectral from a folder beside the project's packages, which a start of a fresh clone does without (docs/decisions/0020); used by
 * test/platform/spectral.test.ts.
 */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { npm } from '../../shared/tools/services/install.mjs';
import { withLock } from '../../shared/tools/services/lock.mjs';
import { root, toolsDir } from '../../shared/tools/services/paths.mjs';

export const spectralPackages = join(root, 'test/platform/spectral');

interface Finding {
  readonly code: string | number;
  /** 0: an error, 1: a warning; more: a hint. */
  readonly severity: number;
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The part of `@stoplight/spectral-core` that is used. */
interface Core {
  readonly Spectral: new () => {
    setRuleset(ruleset: { readonly extends: readonly unknown[] }): void;
    run(document: object): Promise<readonly Finding[]>;
  };
}

interface Spectral {
  readonly core: Core;
  readonly rulesets: { readonly oas: unknown; readonly asyncapi: unknown };
}

/** Returns the folder that has the packages of the lock, after installing them where they are missing. */
const install = async (): Promise<string> => {
  const lock = readFileSync(join(spectralPackages, 'package-lock.json'));
  const dir = join(toolsDir, `spectral-${createHash('sha256').update(lock).digest('hex').slice(0, 16)}`);
  await withLock(join(toolsDir, 'spectral.lock'), 'waiting for another process that installs Spectral', async () => {
    if (existsSync(dir)) return;
    const half = `${dir}.half`;
    rmSync(half, { recursive: true, force: true });
    mkdirSync(half, { recursive: true });
    cpSync(spectralPackages, half, { recursive: true });
    const { code, output } = await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], half);
    if (code !== 0) throw new Error(`npm ci failed for Spectral:\n${output}`);
    renameSync(half, dir);
  });
  return dir;
};

/** Returns Spectral, installed if it is not there yet. */
export const loadSpectral = async (): Promise<Spectral> => {
  const load = createRequire(join(await install(), 'package.json'));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the pinned versions export
  const core = load('@stoplight/spectral-core') as Core;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the pinned versions export
  const rulesets = load('@stoplight/spectral-rulesets') as Spectral['rulesets'];
  return { core, rulesets };
};
