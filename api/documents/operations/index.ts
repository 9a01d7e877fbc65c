/** The texts of all operations. Used by the documents and the law of their rows. */
import { itemOperations } from './items.ts';
import type { OperationText, OperationTexts } from './operation.ts';
import { settingsOperations } from './settings.ts';
import { workOperations } from './work.ts';

export const operationTexts: OperationTexts = { ...itemOperations, ...workOperations, ...settingsOperations };

/** Returns the text of an endpoint. Throws for one that has none. */
export const operationTextOf = (name: string): OperationText => {
  const text = Object.hasOwn(operationTexts, name) ? operationTexts[name] : undefined;
  if (text === undefined)
    throw new Error(
      `The endpoint ${name} has no text in the documents: add its row { id, description } to api/documents/operations.`,
    );
  return text;
};
