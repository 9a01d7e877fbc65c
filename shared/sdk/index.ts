/**
 * The SDK for authors of a customer's app, published as `@console-api/sdk`: `defineApp` declares the app, `connect` keeps
 * it connected. docs/customers-app.md is its guide.
 */
export type { Client, ClientOf, ConnectOptions, Report } from './client.ts';
export { connect } from './connect.ts';
export { defineApp, type App } from './defineApp.ts';
export type { AppDeclaration } from './appDeclaration.ts';
export type { Block, ValueType } from './blocks.ts';
export type {
  Action,
  Condition,
  ConditionOp,
  Danger,
  Field,
  FieldsOf,
  Flag,
  FlagKind,
  Inbox,
  Relation,
  Resource,
  State,
  Triage,
} from './declarations.ts';
export type { Page, PageBlock } from './pages.ts';
export type { View } from './views.ts';
export type { ChangedFlag, FlagContext, FlagDecision, Flags } from './flags.ts';
export { openFeatureProvider } from './openfeature.ts';
export type { ClientEvents } from './events.ts';
export type {
  Availability,
  AvailableHandler,
  Item,
  ItemAdditions,
  ItemDetail,
  Occurrence,
  LoadBlock,
  RecordDetail,
  RecordOf,
  RecordsHandlers,
  ReplyHandler,
  RunCall,
  RunHandler,
  RunResult,
  TriageAnswer,
  TriageHandler,
} from './handlers.ts';
export { ActionFailed, LinkProblem, type ProblemKind } from './problems.ts';
export { decodeCursor, encodeCursor, queryRecords, type RecordQuery } from './queryRecords.ts';
export type { DataOf, InputOf } from './schemaTypes.ts';
export { fileStore, type AnswerStore, type StoredAnswer } from './stores.ts';
export type { Actor, GivenRecord, LinkRecord } from '../app/link/protocol.ts';
