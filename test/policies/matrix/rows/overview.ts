/** Rows of the permission matrix about what is about no single thing: who one is, people, the audit log, changes, live messages, links of apps, tools. */
import type { Row } from '../columns.ts';

export const overview: readonly Row[] = [
  //                                        admin oper view clerk none read sup  app  pers gone away
  ['GET /me', '', '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /inboxes', '', '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /views', '', '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /people', '', '200  200  403  200  403  200  200  403  200  401  404'],
  ['GET /people?inbox', 'own', '200  200  403  200  404  200  200  403  200  401  404'],
  ['GET /people?inbox', 'readOnly', '200  200  403  403  404  403  403  403  200  401  404'],
  ['GET /people?inbox', 'hidden', '200  200  403  404  404  404  404  403  200  401  404'],
  ['GET /people?inbox', 'else', '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /people?inbox', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /counts', '', '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /audit', '', '200  403  403  403  403  403  403  403  403  401  404'],
  ['GET /changes', '', '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /live', '', '426  426  426  426  426  426  426  403  426  401  404'],
  ['GET /app', '', '403  403  403  403  403  403  403  426  403  401  404'],
  // Everyone who may call it at all; what a tool does is compared with what HTTP does in ../../matrix.test.ts.
  ['POST /mcp', '', '200  200  200  200  200  200  200  403  200  401  404'],
  ['POST /live/tickets', '', '201  201  201  201  201  201  201  403  201  401  404'],
];
