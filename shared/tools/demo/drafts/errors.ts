// Drafts of errors that Northwind Cloud's own services report; used by generate.ts.

import { MS, type Random } from '../random.ts';
import { errorKinds, functions, services, type Service } from '../words/errors.ts';
import { Filler } from '../words/fill.ts';
import type { Draft, Scene } from './draft.ts';

/** The kinds of errors by place, computed once, since every fourth item needs them. */
const kindsOf = new Map(
  services.map(({ name, side }) => [name, errorKinds.filter(({ sides }) => sides.includes(side))]),
);

export function draftError({ random, at, handle }: Scene): Draft {
  const service = random.weighted(services);
  const kind = random.weighted(kindsOf.get(service.name) ?? errorKinds);
  const message = new Filler(random, {}).fill(random.pick(kind.messages));
  const url = random.pick(service.routes);
  const fatal = kind.type === 'OutOfMemoryError' || kind.type === 'EXC_BAD_ACCESS' || kind.type === 'HeapLimitError';
  return {
    inbox: 'errors',
    title: titleOf(random, `${kind.type}: ${message}`, service, url),
    record: null,
    links: [],
    key: `${service.name}/${handle}`,
    fields: {
      service: service.name,
      release: releaseAt(random, service, at),
      type: kind.type,
      message,
      level: fatal ? 'fatal' : kind.noise === true ? 'warning' : 'error',
      url,
      stack: stack(random, service, `${kind.type}: ${message}`),
    },
    tags: [service.tag],
    verdict:
      kind.noise === true
        ? { answers: { actionable: 'no' }, state: 'ignored', tags: ['noise'], reason: 'Known noise of browsers' }
        : null,
  };
}

function titleOf(random: Random, what: string, { name }: Service, url: string): string {
  return random.chance(0.35) ? `${what} in ${name} (${url})` : `${what} in ${name}`;
}

/** Returns the release of a service at `at`, one every week or two: a version for phones, a date for the others. */
function releaseAt(random: Random, { name, side }: Service, at: number): string {
  const week = Math.floor(at / (7 * MS.day));
  if (side === 'ios' || side === 'android') return `${name}@5.${week % 100}.${random.int(0, 3)}`;
  const day = new Date(at - random.int(0, 6) * MS.day).toISOString().slice(0, 10).replaceAll('-', '.');
  return `${name}@${day}-${random.int(1, 4)}`;
}

function stack(random: Random, { name, side, files }: Service, first: string): string {
  const lines = [first];
  for (let depth = random.int(3, 6); depth > 0; depth -= 1) {
    const file = random.pick(files);
    const line = random.int(8, 420);
    const call = random.pick(functions);
    const frame =
      side === 'web' || side === 'node'
        ? `${call} (${name}/src/${file}:${line}:${random.int(3, 60)})`
        : `${file.replace(/\.\w+$/, '')}.${call}(${file}:${line})`;
    lines.push(`    at ${frame}`);
  }
  return lines.join('\n');
}
