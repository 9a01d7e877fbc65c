/** Finds the paths that conditions and templates of a manifest read, and those that lead nowhere. For unknownNames.ts and pageNames.ts. */
import type { FaultDetail } from '../../../catalogue/errors.ts';
import { isObject } from '../../../platform/json/jsonLimits.ts';
import { templatesIn, type TemplateAt } from '../../blocks/manifestBlocks.ts';
import { comparisonsIn } from '../comparisons.ts';
import { pathProblem, type Shape } from './shapes.ts';

const unknownPaths = (shape: Shape, found: readonly TemplateAt[], quote: (path: string) => string): FaultDetail[] =>
  found.flatMap(({ at, path }) => {
    const problem = pathProblem(shape, path);
    return problem === null ? [] : [{ path: at, message: `names ${quote(path.slice(0, 200))}, ${problem}` }];
  });

/** Returns the comparisons of a condition whose field or path leads nowhere in a subject of this shape. */
export const unknownInCondition = (shape: Shape, condition: unknown, at: string): FaultDetail[] =>
  unknownPaths(
    shape,
    comparisonsIn(condition, at).flatMap(({ at: place, field, other }) => [
      { at: `${place}.field`, path: field },
      ...(other === null ? [] : [{ at: `${place}.path`, path: other }]),
    ]),
    (path) => path,
  );

/** Returns the templates in a value that lead nowhere in a subject of this shape. */
export const unknownInTemplates = (shape: Shape, value: unknown, at: string): FaultDetail[] =>
  unknownPaths(shape, templatesIn(value, at), (path) => `{{${path}}}`);

/** Returns the members of an object that lead nowhere in a value of this shape. */
export const unknownMembers = (shape: Shape, value: unknown, at: string): FaultDetail[] =>
  isObject(value)
    ? Object.keys(value).flatMap((name) => {
        // A name with dots is one member here, and no path.
        const problem = name.includes('.') ? null : pathProblem(shape, name);
        return problem === null
          ? []
          : [{ path: `${at}.${name.slice(0, 100)}`, message: problem.replace('which ', '') }];
      })
    : [];
