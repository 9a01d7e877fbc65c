/**
 * The SDK for authors of a customer's app, published as `console-api/sdk`: `defineApp` declares the app, `connect` keeps
 * it connected. docs/customers-app.md is its guide.
 */
export type { Client, ConnectOptions, Report } from './client.ts';
export { connect } from './connect.ts';
export { defineApp, type App } from './defineApp.ts';
export type {
  Action,
  AppDeclaration,
  Condition,
  ConditionOp,
  Danger,
  Field,
  Flag,
  FlagKind,
  Inbox,
  InputOf,
  Page,
  PageBlock,
  Relation,
  Resource,
  State,
  Triage,
  ValueType,
  View,
} from './declarations.ts';
export type { FlagContext, FlagDecision, Flags } from './flags.ts';
export { openFeatureProvider } from './openfeature.ts';
export type { ClientEvents } from './events.ts';
export type {
  Availability,
  AvailableHandler,
  Item,
  ItemDetail,
  Occurrence,
  LoadBlock,
  RecordDetail,
  RecordsHandlers,
  ReplyHandler,
  RunCall,
  RunHandler,
  RunResult,
  TriageHandler,
} from './handlers.ts';
export { ActionFailed, LinkProblem, type ProblemKind } from './problems.ts';
export { fileStore, type AnswerStore, type StoredAnswer } from './stores.ts';
export type { Actor, Block, GivenRecord, LinkRecord } from '../applink/protocol.ts';
