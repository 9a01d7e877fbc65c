/** What the app of the flags' tests declares: flags of every kind, with and without danger and approval. */
import { testManifest } from '../support/manifest.ts';

const boolean = (key: string, more: object = {}) => ({ key, kind: 'boolean', default: false, ...more }) as const;

export const flagsManifest = {
  ...testManifest,
  flags: [
    boolean('untouched', { resource: 'customer', description: 'Never changed' }),
    boolean('checkout'),
    boolean('named'),
    boolean('from_value'),
    boolean('told'),
    boolean('filled'),
    boolean('dangerous', { danger: 'low' }),
    boolean('approved', { approval: true }),
    boolean('agreed', { approval: true }),
    { key: 'words', kind: 'string', default: 'postgres' },
    { key: 'number', kind: 'number', default: 600 },
    { key: 'json', kind: 'json', default: { text: '' } },
  ],
};
