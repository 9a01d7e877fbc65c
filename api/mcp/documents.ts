/** The sections of the documents for agents, each a resource of its own. Used by resources.ts. */
import { readDocument } from '../http/documentFiles.ts';

interface DocumentSection {
  readonly uri: string;
  readonly title: string;
  readonly text: string;
}

const documents = ['agents', 'flags'] as const;

const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

const sectionsOf = (name: string): DocumentSection[] => {
  const [, ...parts] = readDocument(name).split(/^## /m);
  return parts.map((text) => {
    const title = text.slice(0, text.indexOf('\n')).trim();
    return { uri: `console://docs/${name}/${slugOf(title)}`, title, text: `## ${text}` };
  });
};

let sections: readonly DocumentSection[] | undefined;

/** Returns the sections in the order of the documents, which are read with the first call. */
export const documentSections = (): readonly DocumentSection[] => (sections ??= documents.flatMap(sectionsOf));
