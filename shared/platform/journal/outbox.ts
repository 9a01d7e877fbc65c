/** The insert into `outbox`, from which the publisher sends live messages: composed by each statement that changes what they see. */
import { insertText, type InsertSource, type Sql } from './insertText.ts';

const requiredColumns = ['id', 'env', 'at', 'parts'] as const;
const otherColumns = [
  'inbox',
  'deltas',
  'due_from',
  'due_to',
  'awake_from',
  'awake_to',
  'whole',
  'traceparent',
] as const;

/** `id` is the event's, or drawn from the same sequence; `deltas` and the deadlines move the inbox's counts; `whole`: `deltas` has every measure; `traceparent`: of the request, if it is traced. */
export type OutboxColumns = Readonly<
  Record<(typeof requiredColumns)[number], Sql> & Partial<Record<(typeof otherColumns)[number], Sql>>
>;

/** Messages of one row: an offset has eight bits for the place of a message in its row. */
export const messagesPerRow = 50;

/** Returns the text of the insert of one outbox row for each row of the source. */
export const outboxInsert = (values: OutboxColumns, source: InsertSource): string =>
  insertText('insert into outbox', [...requiredColumns, ...otherColumns], values, source);
