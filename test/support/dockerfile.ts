/** Reads the Dockerfile: its stages, what is done in each, and what the image says of itself. Used by imageFolder.ts and laws. */

interface Instruction {
  readonly word: string;
  readonly text: string;
}

export interface Stage {
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

/** What an image says of the processes that are started from it. */
export interface ImageConfig {
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly user: string;
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
  readonly stopSignal: string;
}

/** The lines of the file without comments, those that a backslash joins as one. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');

export const readStages = (text: string): Stage[] => {
  const stages: { name: string; instructions: Instruction[] }[] = [];
  for (const line of linesOf(text)) {
    const [, word = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (word === 'FROM') stages.push({ name: /\sAS\s+(\S+)/.exec(rest)?.[1] ?? '', instructions: [] });
    // What stands before the first stage only names bases.
    else stages.at(-1)?.instructions.push({ word, text: rest });
  }
  return stages;
};

export const readPairs = (text: string): [string, string][] =>
  [...text.matchAll(/([^\s=]+)=(?:"([^"]*)"|(\S*))/g)].map(([, name = '', quoted, plain = '']) => [
    name,
    quoted ?? plain,
  ]);

/** Returns what a stage says of its processes. Throws when it lacks a part, which a base would decide then. */
export const readImageConfig = ({ instructions }: Stage): ImageConfig => {
  const all = (word: string): string[] => instructions.filter((each) => each.word === word).map((each) => each.text);
  const last = (word: string): string => {
    const found = all(word).at(-1);
    if (found === undefined) throw new Error(`The image has no ${word}.`);
    return found;
  };
  return {
    env: Object.fromEntries(all('ENV').flatMap(readPairs)),
    workdir: last('WORKDIR'),
    user: last('USER'),
    command: JSON.parse(last('CMD')) as string[],
    healthCheck: JSON.parse(last('HEALTHCHECK').replace(/^.*?CMD\s+/, '')) as string[],
    stopSignal: last('STOPSIGNAL'),
  };
};
