/** Parses the query parameter `params` of a page: a JSON object of the declared texts. For api/routes/pages.ts. */
import type { ManifestPage } from '../../app/manifest/manifest.ts';
import { invalidAt, type FaultDetail } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { isObject, textProblem } from '../../platform/json/jsonLimits.ts';
import { invalidFault } from '../../platform/json/validate.ts';

export type PageParams = Readonly<Record<string, string>>;

const parseObject = (text: string): Readonly<Record<string, unknown>> => {
  if (Buffer.byteLength(text) > limits.jsonParameterBytes)
    throw invalidAt('params', `must be at most ${String(limits.jsonParameterBytes)} bytes`);
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw invalidAt('params', 'must be a JSON object');
};

const pathOf = (name: string): string => `params.${name.slice(0, 100)}`.toWellFormed().replaceAll('\u0000', '');

/** Returns the parameters. Throws `invalid` with each one that isn't declared, isn't a text, or is missing. */
export const parsePageParams = (page: ManifestPage, text: string | undefined): PageParams => {
  const given = text === undefined ? {} : parseObject(text);
  const declared = page.params ?? [];
  const details: FaultDetail[] = [];
  for (const [name, value] of Object.entries(given)) {
    const problem = !declared.some((param) => param.name === name)
      ? 'is not known here'
      : typeof value === 'string'
        ? textProblem(value)
        : 'must be a string';
    if (problem !== null) details.push({ path: pathOf(name), message: problem });
  }
  for (const { name, required } of declared)
    if (required === true && !Object.hasOwn(given, name)) details.push({ path: pathOf(name), message: 'is required' });
  if (details.length > 0) throw invalidFault(details.slice(0, limits.detailsMax));
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : [])),
  );
};
