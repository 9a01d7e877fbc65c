/** Fills the templates of declared blocks of an inbox, a resource or a page, for shared/views. */
import { filledMax, fillTemplate } from '../../platform/conditions/conditions.ts';
import { isObject } from '../../platform/json/jsonLimits.ts';
import type { Block, Json } from '../link/protocol.ts';
import { invalidBlock, validateBlock } from './validateBlocks.ts';

/** Returns a value as text: a template that is one path keeps the value's type. */
const textOf = (value: unknown): unknown => {
  if (value === null) return '';
  return typeof value === 'object'
    ? JSON.stringify(value)
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : value;
};

const shownValue = (field: unknown): unknown => {
  if (!isObject(field)) return field;
  const { value } = field;
  return typeof value === 'object' && value !== null ? { ...field, value: JSON.stringify(value) } : field;
};

/** Returns one block, checked; null for a link without an address. */
export const renderBlock = (template: Json, subject: unknown): Block | null => {
  const filled = fillTemplate(template, subject);
  if (filled === null)
    return invalidBlock(
      { title: fillTemplate(template['title'], subject) },
      `more than ${String(filledMax)} characters would be filled in`,
    );
  if (!isObject(filled)) return validateBlock(filled);
  switch (filled['type']) {
    case 'text':
      // A customer's text is never Markdown.
      return validateBlock({
        ...filled,
        text: textOf(filled['text']),
        plain: filled['text'] !== template['text'] || (filled['plain'] ?? false),
      });
    case 'fields':
      return validateBlock(
        Array.isArray(filled['fields']) ? { ...filled, fields: filled['fields'].map(shownValue) } : filled,
      );
    case 'link':
      return filled['url'] === null || filled['url'] === '' ? null : validateBlock(filled);
    default:
      return validateBlock(filled);
  }
};

export const renderBlocks = (templates: readonly Json[], subject: unknown): Block[] =>
  templates.map((template) => renderBlock(template, subject)).filter((block) => block !== null);
