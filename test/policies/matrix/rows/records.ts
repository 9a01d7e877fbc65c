/** Rows of the permission matrix about resources with their records, and pages. */
import type { Row } from '../columns.ts';

export const records: readonly Row[] = [
  //                                        admin oper view clerk none read sup  app  pers gone away
  // Records are stored by app keys alone.
  ['GET /resources', '', '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /resources/{resource}', 'own', '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /resources/{resource}', 'served', '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /resources/{resource}', 'hidden', '200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /resources/{resource}', 'else', '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /resources/{resource}', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /resources/{resource}/list', 'own', '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /resources/{resource}/list', 'served', '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /resources/{resource}/list', 'hidden', '200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /resources/{resource}/list', 'else', '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /resources/{resource}/list', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /resources/{resource}/{id}', 'own', '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /resources/{resource}/{id}', 'served', '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /resources/{resource}/{id}', 'hidden', '200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /resources/{resource}/{id}', 'else', '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /resources/{resource}/{id}', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /resources/{resource}/{id}/related/{relation}', 'own', '200  200  200  200  404  200  200  403  200  401  404'],
  [
    'GET /resources/{resource}/{id}/related/{relation}',
    'served',
    '200  200  200  200  404  200  200  403  200  401  404',
  ],
  [
    'GET /resources/{resource}/{id}/related/{relation}',
    'hidden',
    '200  200  200  404  404  404  404  403  200  401  404',
  ],
  [
    'GET /resources/{resource}/{id}/related/{relation}',
    'else',
    '404  404  404  404  404  404  404  403  404  401  404',
  ],
  ['GET /resources/{resource}/{id}/related/{relation}', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /resources/{resource}/records', 'own', '403  403  403  403  404  403  403  200  403  401  404'],
  ['POST /resources/{resource}/records', 'served', '403  403  403  403  404  403  403  409  403  401  404'],
  ['POST /resources/{resource}/records', 'hidden', '403  403  403  404  404  404  404  200  403  401  404'],
  ['POST /resources/{resource}/records', 'else', '404  404  404  404  404  404  404  404  404  401  404'],
  ['POST /resources/{resource}/records', 'no', '404  404  404  404  404  404  404  404  404  401  404'],

  ['GET /pages', '', '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /pages/{page}', 'own', '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /pages/{page}', 'hidden', '200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /pages/{page}', 'else', '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /pages/{page}', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
];
