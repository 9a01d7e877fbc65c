/** Rows of the permission matrix about actions, alone and in a bulk, and their runs. */
import type { Row } from '../columns.ts';

export const actions: readonly Row[] = [
  //                                        admin oper view clerk none read sup  app  pers gone away
  // Actions. `own` and `seen` are of a resource that the clerk sees, and it may run the first; `free` and `bare` take no
  // record, and it may run the first. What it sees and may not run is 403; what it can't see, or what has no resource, 404.
  ['GET /actions', '', '200  200  200  200  200  200  200  403  200  401  404'],
  ['POST /available', 'own', '200  200  200  200  200  200  200  403  200  401  404'],
  ['POST /available', 'hidden', '200  200  200  200  200  200  200  403  200  401  404'],
  ['POST /available', 'else', '200  200  200  200  200  200  200  403  200  401  404'],
  ['POST /available', 'no', '200  200  200  200  200  200  200  403  200  401  404'],
  ['POST /actions', 'own', '200  200  403  200  404  403  202  403  200  401  404'],
  ['POST /actions', 'seen', '200  200  403  403  404  403  403  403  200  401  404'],
  ['POST /actions', 'hidden', '200  200  403  404  404  404  404  403  200  401  404'],
  ['POST /actions', 'free', '200  200  404  200  404  403  202  403  200  401  404'],
  ['POST /actions', 'bare', '200  200  404  404  404  404  404  403  200  401  404'],
  ['POST /actions', 'served', '200  200  403  200  404  403  202  403  200  401  404'],
  ['POST /actions', 'else', '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /actions', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /actions', 'asked', '202  202  403  202  404  403  202  403  202  401  404'],
  ['POST /actions', 'fresh', '403  403  403  403  404  403  403  403  403  401  404'],
  ['POST /actions', 'danger', '409  409  403  409  404  403  409  403  409  401  404'],
  ['POST /actions', 'background', '202  202  403  202  404  403  202  403  202  401  404'],
  // The action may be run; the record is of another environment, or none.
  ['POST /actions record', 'else', '404  404  403  404  404  403  404  403  404  401  404'],
  ['POST /actions record', 'no', '404  404  403  404  404  403  404  403  404  401  404'],
  // The action may be run by everyone who may run `free`; whether the item is visible is checked next.
  ['POST /actions item', 'own', '200  200  404  200  404  403  202  403  200  401  404'],
  ['POST /actions item', 'readOnly', '200  200  404  200  404  403  202  403  200  401  404'],
  ['POST /actions item', 'hidden', '200  200  404  404  404  403  404  403  200  401  404'],
  ['POST /actions item', 'else', '404  404  404  404  404  403  404  403  404  401  404'],
  ['POST /actions item', 'no', '404  404  404  404  404  403  404  403  404  401  404'],
  // A bulk names its action before any item is looked at.
  ['POST /bulk action', 'own', '202  202  403  202  404  403  202  403  202  401  404'],
  ['POST /bulk action', 'seen', '202  202  403  403  404  403  403  403  202  401  404'],
  ['POST /bulk action', 'hidden', '202  202  403  404  404  404  404  403  202  401  404'],
  ['POST /bulk action', 'free', '400  400  404  400  404  403  400  403  400  401  404'],
  ['POST /bulk action', 'bare', '400  400  404  404  404  404  404  403  400  401  404'],
  ['POST /bulk action', 'else', '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /bulk action', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /bulk action', 'asked', '202  202  403  202  404  403  202  403  202  401  404'],
  ['POST /bulk action', 'fresh', '403  403  403  403  404  403  403  403  403  401  404'],
  ['POST /bulk action', 'danger', '409  409  403  409  404  403  409  403  409  401  404'],

  // Visible to the requester, and to those who may run the action on records that they see. All of them have succeeded.
  ['GET /runs', '', '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /runs/{id}', 'clerks', '200  200  404  200  404  200  200  403  200  401  404'],
  ['GET /runs/{id}', 'admins', '200  200  404  200  404  200  200  403  200  401  404'],
  ['GET /runs/{id}', 'seen', '200  200  404  404  404  404  404  403  200  401  404'],
  ['GET /runs/{id}', 'hidden', '200  200  404  404  404  404  404  403  200  401  404'],
  ['GET /runs/{id}', 'else', '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /runs/{id}', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /runs/{id}/cancel', 'clerks', '409  409  404  409  404  403  403  403  409  401  404'],
  ['POST /runs/{id}/cancel', 'admins', '409  409  404  409  404  403  403  403  409  401  404'],
  ['POST /runs/{id}/cancel', 'seen', '409  409  404  404  404  404  404  403  409  401  404'],
  ['POST /runs/{id}/cancel', 'hidden', '409  409  404  404  404  404  404  403  409  401  404'],
  ['POST /runs/{id}/cancel', 'else', '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /runs/{id}/cancel', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /runs/{id}/retry', 'clerks', '409  409  404  409  404  403  409  403  409  401  404'],
  ['POST /runs/{id}/retry', 'admins', '409  409  404  409  404  403  409  403  409  401  404'],
  ['POST /runs/{id}/retry', 'seen', '409  409  404  404  404  404  404  403  409  401  404'],
  ['POST /runs/{id}/retry', 'hidden', '409  409  404  404  404  404  404  403  409  401  404'],
  ['POST /runs/{id}/retry', 'else', '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /runs/{id}/retry', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
];
