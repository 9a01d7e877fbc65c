/** Every text that people read on the console's page stands in a file of texts, so that a language is a set of such files. */
import { expect } from 'chai';
import {
  isArrowFunction,
  isCallExpression,
  isExportDeclaration,
  isImportDeclaration,
  isJsxAttribute,
  isJsxText,
  isLiteralTypeNode,
  isNewExpression,
  isNoSubstitutionTemplateLiteral,
  isPropertyAssignment,
  isStringLiteral,
  isTemplateExpression,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';
import { textsFile } from '../support/consoleTexts.ts';
import { files, imports, root, textOf } from './source.ts';

const folder = 'api/console/';
const sources = files.filter((file) => file.startsWith(folder));

/** Names of attributes, and of members of objects, whose values people read. */
const readNames = new Set(
  'aria-label title placeholder alt label about deed deeds headings children what none hint text note emptyText group why done problem'.split(
    ' ',
  ),
);

/** Names of attributes whose values only look like words. */
const codeNames = new Set(['className', 'rel']);

const isName = (text: string): boolean => /^\s*\p{Lu}/u.test(text);
/** Two words with a blank between them; a right such as `audit: see` has a colon there. */
const isWords = (text: string): boolean => /\p{L}{2}[’'.,;…]* \p{L}/u.test(text);

/** Returns the texts of a literal or a template as they are written, without what is put in; null: it is neither. */
const writtenIn = (node: Node): readonly string[] | null => {
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return [node.text];
  if (!isTemplateExpression(node)) return null;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
};

interface Found {
  readonly node: Node;
  readonly written: string;
}

/** Returns what is written in a file for people to read; `name`: that of the attribute or member in which it stands. */
const readIn = (node: Node, name = ''): readonly Found[] => {
  if (isImportDeclaration(node) || isExportDeclaration(node) || isLiteralTypeNode(node)) return [];
  // An error that is thrown by its own name is for who develops.
  if (isNewExpression(node) && node.expression.getText() === 'Error') return [];
  if (isJsxText(node)) return /\p{L}/u.test(node.text) ? [{ node, written: node.text.trim() }] : [];
  const isRead = readNames.has(name);
  const written = codeNames.has(name) ? [] : (writtenIn(node) ?? []);
  const found = written.filter((text) => isWords(text) || (isRead && isName(text)));
  const within = isJsxAttribute(node) || isPropertyAssignment(node) ? node.name.getText() : name;
  const inner: Found[] = [];
  node.forEachChild((child) => {
    inner.push(...readIn(child, isCallExpression(node) || isArrowFunction(node) ? '' : within));
  });
  return [...found.map((text) => ({ node, written: text })), ...inner];
};

describe('law: texts of the console', () => {
  let api: API;
  let sourceOf: (file: string) => SourceFile;
  before(() => {
    api = new API({ cwd: root });
    const [project] = api.updateSnapshot({ openProjects: [`${root}${folder}tsconfig.json`] }).getProjects();
    sourceOf = (file) => {
      const found = project?.program.getSourceFile(`${root}${file}`);
      if (found === undefined) throw new Error(`${file} is not part of the console.`);
      return found;
    };
  });
  after(() => api.close());

  it('what people read stands in files of texts', () => {
    const elsewhere = sources
      .filter((file) => !textsFile.test(file))
      .flatMap((file) => {
        const source = sourceOf(file);
        return readIn(source).map(({ node, written }) => {
          const { line } = source.getLineAndCharacterOfPosition(node.getStart());
          return `${file}:${String(line + 1)} has “${written}”`;
        });
      });
    expect(
      elsewhere,
      'move the whole sentence to the file of texts beside it (texts.ts, or <part>Texts.ts where the part is loaded at another time), and put values in by a function there',
    ).to.deep.equal([]);
  });

  it('a file of texts is one object of them, and knows other texts, and how numbers, times and lists are written', () => {
    const known = ['react', 'api/console/ui/plural.ts', 'api/console/ui/time.ts'];
    const texts = sources.filter((file) => textsFile.test(file));
    expect(texts.length).to.be.greaterThan(20);
    for (const file of texts) {
      const exported = [...textOf(file).matchAll(/^export (\w+) (\w+)/gm)].map(([, kind, name]) => `${kind} ${name}`);
      expect(exported, `${file}: export one const whose name ends in Texts`)
        .to.have.length(1)
        .and.to.satisfy(([one = '']: string[]) => /^const \w+Texts$/.test(one));
    }
    expect(
      imports
        .filter(
          ({ file, to, typeOnly }) => texts.includes(file) && !typeOnly && !known.includes(to) && !texts.includes(to),
        )
        .map(({ file, to }) => `${file} imports ${to}`),
      'let the component pass in what it has',
    ).to.deep.equal([]);
  });
});
