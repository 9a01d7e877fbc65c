/** Blocks of a declaration with their templates filled: of an inbox, a resource or a page. */
import type { Block, Json } from '../applink/protocol.ts';
import { fillTemplate } from '../platform/core/conditions.ts';
import { validateBlock } from './validateBlocks.ts';

/** A template that is one path keeps the value's type, but what is shown as text is text. */
const textOf = (value: unknown): unknown => {
  if (value === null) return '';
  return typeof value === 'object'
    ? JSON.stringify(value)
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : value;
};

const shownValue = (field: unknown): unknown => {
  if (typeof field !== 'object' || field === null) return field;
  const { value } = field as { value?: unknown };
  return typeof value === 'object' && value !== null ? { ...field, value: JSON.stringify(value) } : field;
};

/** One block, checked; null: a link to what isn't there. */
export const renderBlock = (template: Json, subject: unknown): Block | null => {
  const filled = fillTemplate(template, subject) as Json;
  switch (filled['type']) {
    case 'text':
      return validateBlock({ ...filled, text: textOf(filled['text']) });
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
