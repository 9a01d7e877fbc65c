/** For tests of an app's handlers, published as `@console-api/sdk/testing`: `testApp` stands for the service, in memory. */
export { testApp, type TestApp } from './testApp.ts';
export type { ReadMethod, ReadParams, RunRequest, TestItem, TestReply, TestRun } from './testTypes.ts';
