/** What the documents say of an endpoint beside its row: the name that clients call it by, and what it does. */
export interface OperationText {
  /** Its tool has the same name (api/mcp/tools). */
  readonly id: string;
  /** In whole sentences: what is answered, what happens, what to look at next. */
  readonly description: string;
}

/** By the name of the endpoint's row. */
export type OperationTexts = Readonly<Record<string, OperationText>>;
