/**
 * Who may do what: every endpoint called by every kind of principal on every kind of object. The statuses stand in a
 * table that was written by hand from the contract, not computed from the code's own permissions. A new endpoint
 * without rows fails.
 */
import { expect } from 'chai';
import { connectApp, type FakeApp } from '../support/app.ts';
import { readDocuments, type Documents } from '../support/documented.ts';
import type { Client, Reply } from '../support/http.ts';
import { callTool } from '../support/tools.ts';
import { newWorld, type World } from '../support/world.ts';

/**
 * The columns. `clerk` may do everything in `own`, only see `readOnly` and sees nothing of `hidden`; `none` has a role
 * without grants; `read` is a readonly clerk, `sup` a supervised one; `app` an app key; `pers` a person who is
 * operator; `gone` an agent whose token was revoked; `away` an admin's agent of another environment.
 */
const personas = ['admin', 'oper', 'view', 'clerk', 'none', 'read', 'sup', 'app', 'pers', 'gone', 'away'] as const;
type Persona = (typeof personas)[number];

/**
 * Which inbox, resource, page or action, or item of which inbox, or bulk, run or approval of whom. `else`: of another
 * environment; `no`: that doesn't exist.
 */
type Thing =
  | 'own' | 'readOnly' | 'hidden' | 'else' | 'no' | 'clerks' | 'admins' | 'sups' | 'persons' | 'bulks' | 'served'
  | 'seen' | 'free' | 'bare' | 'asked' | 'fresh' | 'danger' | 'background' | '';

/** What a supervised agent asks to change becomes an approval, unless its role may not even ask. */
const rows: readonly [string, Thing, string][] = [
  //                                        admin oper view clerk none read sup  app  pers gone away
  ['GET /me', '',                          '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /inboxes', '',                     '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /views', '',                       '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /people', '',                      '200  200  403  200  403  200  200  403  200  401  404'],
  ['GET /people?inbox', 'own',             '200  200  403  200  404  200  200  403  200  401  404'],
  ['GET /people?inbox', 'readOnly',        '200  200  403  403  404  403  403  403  200  401  404'],
  ['GET /people?inbox', 'hidden',          '200  200  403  404  404  404  404  403  200  401  404'],
  ['GET /people?inbox', 'else',            '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /people?inbox', 'no',              '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /audit', '',                       '200  403  403  403  403  403  403  403  403  401  404'],
  ['GET /changes', '',                     '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /live', '',                        '426  426  426  426  426  426  426  403  426  401  404'],
  ['GET /app', '',                         '403  403  403  403  403  403  403  426  403  401  404'],
  // Whoever may call it at all; what a tool does is compared with what HTTP does, below.
  ['POST /mcp', '',                        '200  200  200  200  200  200  200  403  200  401  404'],
  ['POST /live/tickets', '',               '201  201  201  201  201  201  201  403  201  401  404'],

  ['GET /items', '',                       '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /items?inbox', 'own',              '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /items?inbox', 'readOnly',         '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /items?inbox', 'hidden',           '200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /items?inbox', 'else',             '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /items?inbox', 'no',               '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /items?view', 'own',               '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /items?view', 'hidden',            '200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /items?view', 'else',              '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /items?view', 'no',                '404  404  404  404  404  404  404  403  404  401  404'],

  ['GET /items/{id}', 'own',               '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /items/{id}', 'readOnly',          '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /items/{id}', 'hidden',            '200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /items/{id}', 'else',              '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /items/{id}', 'no',                '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /items/{id}/timeline', 'own',      '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /items/{id}/timeline', 'readOnly', '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /items/{id}/timeline', 'hidden',   '200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /items/{id}/timeline', 'else',     '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /items/{id}/timeline', 'no',       '404  404  404  404  404  404  404  403  404  401  404'],

  ['POST /items', 'own',                   '201  201  403  201  404  403  202  201  201  401  404'],
  ['POST /items', 'readOnly',              '201  201  403  403  404  403  403  201  201  401  404'],
  ['POST /items', 'hidden',                '201  201  403  404  404  404  404  201  201  401  404'],
  ['POST /items', 'else',                  '404  404  404  404  404  404  404  404  404  401  404'],
  ['POST /items', 'no',                    '404  404  404  404  404  404  404  404  404  401  404'],

  ['POST /items/{id}/state', 'own',        '200  200  403  200  404  403  202  403  200  401  404'],
  ['POST /items/{id}/state', 'readOnly',   '200  200  403  403  404  403  403  403  200  401  404'],
  ['POST /items/{id}/state', 'hidden',     '200  200  403  404  404  404  404  403  200  401  404'],
  ['POST /items/{id}/state', 'else',       '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /items/{id}/state', 'no',         '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /items/{id}/assign', 'own',       '200  200  403  200  404  403  202  403  200  401  404'],
  ['POST /items/{id}/assign', 'readOnly',  '200  200  403  403  404  403  403  403  200  401  404'],
  ['POST /items/{id}/assign', 'hidden',    '200  200  403  404  404  404  404  403  200  401  404'],
  ['POST /items/{id}/assign', 'else',      '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /items/{id}/assign', 'no',        '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /items/{id}/tags', 'own',         '200  200  403  200  404  403  202  403  200  401  404'],
  ['POST /items/{id}/tags', 'readOnly',    '200  200  403  403  404  403  403  403  200  401  404'],
  ['POST /items/{id}/tags', 'hidden',      '200  200  403  404  404  404  404  403  200  401  404'],
  ['POST /items/{id}/tags', 'else',        '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /items/{id}/tags', 'no',          '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /items/{id}/snooze', 'own',       '200  200  403  200  404  403  202  403  200  401  404'],
  ['POST /items/{id}/snooze', 'readOnly',  '200  200  403  403  404  403  403  403  200  401  404'],
  ['POST /items/{id}/snooze', 'hidden',    '200  200  403  404  404  404  404  403  200  401  404'],
  ['POST /items/{id}/snooze', 'else',      '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /items/{id}/snooze', 'no',        '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /items/{id}/notes', 'own',        '201  201  403  201  404  403  202  403  201  401  404'],
  ['POST /items/{id}/notes', 'readOnly',   '201  201  403  403  404  403  403  403  201  401  404'],
  ['POST /items/{id}/notes', 'hidden',     '201  201  403  404  404  404  404  403  201  401  404'],
  ['POST /items/{id}/notes', 'else',       '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /items/{id}/notes', 'no',         '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /items/{id}/reply', 'own',        '202  202  403  202  404  403  202  403  202  401  404'],
  ['POST /items/{id}/reply', 'readOnly',   '202  202  403  403  404  403  403  403  202  401  404'],
  ['POST /items/{id}/reply', 'hidden',     '202  202  403  404  404  404  404  403  202  401  404'],
  ['POST /items/{id}/reply', 'else',       '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /items/{id}/reply', 'no',         '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /items/{id}/triage', 'own',       '200  403  403  200  404  403  202  200  403  401  404'],
  ['POST /items/{id}/triage', 'readOnly',  '200  403  403  403  404  403  403  200  403  401  404'],
  ['POST /items/{id}/triage', 'hidden',    '200  403  403  404  404  404  404  200  403  401  404'],
  ['POST /items/{id}/triage', 'else',      '404  404  404  404  404  404  404  404  404  401  404'],
  ['POST /items/{id}/triage', 'no',        '404  404  404  404  404  404  404  404  404  401  404'],

  // Rights of a bulk are checked item by item when it runs; readonly agents change nothing at all.
  ['POST /bulk', 'own',                    '202  202  202  202  202  403  202  403  202  401  404'],
  ['POST /bulk', 'readOnly',               '202  202  202  202  202  403  202  403  202  401  404'],
  ['POST /bulk', 'hidden',                 '202  202  202  202  202  403  202  403  202  401  404'],
  ['POST /bulk', 'else',                   '202  202  202  202  202  403  202  403  202  401  404'],
  ['POST /bulk', 'no',                     '202  202  202  202  202  403  202  403  202  401  404'],
  ['POST /bulk dryRun', 'own',             '200  200  200  200  200  200  200  403  200  401  404'],
  ['POST /bulk dryRun', 'hidden',          '200  200  200  200  200  200  200  403  200  401  404'],
  ['POST /bulk dryRun', 'no',              '200  200  200  200  200  200  200  403  200  401  404'],
  // Visible to who asked for it and to those who see the audit log; both bulks are finished.
  ['GET /bulk/{id}', 'clerks',             '200  404  404  200  404  404  404  403  404  401  404'],
  ['GET /bulk/{id}', 'admins',             '200  404  404  404  404  404  404  403  404  401  404'],
  ['GET /bulk/{id}', 'else',               '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /bulk/{id}', 'no',                 '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /bulk/{id}/results', 'clerks',     '200  404  404  200  404  404  404  403  404  401  404'],
  ['GET /bulk/{id}/results', 'admins',     '200  404  404  404  404  404  404  403  404  401  404'],
  ['GET /bulk/{id}/results', 'else',       '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /bulk/{id}/results', 'no',         '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /bulk/{id}/cancel', 'clerks',     '403  404  404  409  404  404  404  403  404  401  404'],
  ['POST /bulk/{id}/cancel', 'admins',     '409  404  404  404  404  404  404  403  404  401  404'],
  ['POST /bulk/{id}/cancel', 'else',       '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /bulk/{id}/cancel', 'no',         '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /bulk/{id}/undo', 'clerks',       '202  404  404  202  404  404  404  403  404  401  404'],
  ['POST /bulk/{id}/undo', 'admins',       '202  404  404  404  404  404  404  403  404  401  404'],
  ['POST /bulk/{id}/undo', 'else',         '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /bulk/{id}/undo', 'no',           '404  404  404  404  404  404  404  403  404  401  404'],

  // Actions. `own` and `seen` are of a resource that the clerk sees, and it may run the first; `free` and `bare` take no
  // record, and it may run the first. What it sees and may not run is 403; what it can't see, or what has no resource, 404.
  ['GET /actions', '',                     '200  200  200  200  200  200  200  403  200  401  404'],
  ['POST /available', 'own',               '200  200  200  200  200  200  200  403  200  401  404'],
  ['POST /available', 'hidden',            '200  200  200  200  200  200  200  403  200  401  404'],
  ['POST /available', 'else',              '200  200  200  200  200  200  200  403  200  401  404'],
  ['POST /available', 'no',                '200  200  200  200  200  200  200  403  200  401  404'],
  ['POST /actions', 'own',                 '200  200  403  200  404  403  202  403  200  401  404'],
  ['POST /actions', 'seen',                '200  200  403  403  404  403  403  403  200  401  404'],
  ['POST /actions', 'hidden',              '200  200  403  404  404  404  404  403  200  401  404'],
  ['POST /actions', 'free',                '200  200  404  200  404  403  202  403  200  401  404'],
  ['POST /actions', 'bare',                '200  200  404  404  404  404  404  403  200  401  404'],
  ['POST /actions', 'served',              '200  200  403  200  404  403  202  403  200  401  404'],
  ['POST /actions', 'else',                '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /actions', 'no',                  '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /actions', 'asked',               '202  202  403  202  404  403  202  403  202  401  404'],
  ['POST /actions', 'fresh',               '403  403  403  403  404  403  403  403  403  401  404'],
  ['POST /actions', 'danger',              '409  409  403  409  404  403  409  403  409  401  404'],
  ['POST /actions', 'background',          '202  202  403  202  404  403  202  403  202  401  404'],
  // The action may be run; the record is of another environment, or none.
  ['POST /actions record', 'else',         '404  404  403  404  404  403  404  403  404  401  404'],
  ['POST /actions record', 'no',           '404  404  403  404  404  403  404  403  404  401  404'],
  // The action may be run by whoever may run `free`; whether the item may be seen is asked next.
  ['POST /actions item', 'own',            '200  200  404  200  404  403  202  403  200  401  404'],
  ['POST /actions item', 'readOnly',       '200  200  404  200  404  403  202  403  200  401  404'],
  ['POST /actions item', 'hidden',         '200  200  404  404  404  403  404  403  200  401  404'],
  ['POST /actions item', 'else',           '404  404  404  404  404  403  404  403  404  401  404'],
  ['POST /actions item', 'no',             '404  404  404  404  404  403  404  403  404  401  404'],
  // A bulk names its action before any item is looked at.
  ['POST /bulk action', 'own',             '202  202  403  202  404  403  202  403  202  401  404'],
  ['POST /bulk action', 'seen',            '202  202  403  403  404  403  403  403  202  401  404'],
  ['POST /bulk action', 'hidden',          '202  202  403  404  404  404  404  403  202  401  404'],
  ['POST /bulk action', 'free',            '400  400  404  400  404  403  400  403  400  401  404'],
  ['POST /bulk action', 'bare',            '400  400  404  404  404  404  404  403  400  401  404'],
  ['POST /bulk action', 'else',            '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /bulk action', 'no',              '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /bulk action', 'asked',           '202  202  403  202  404  403  202  403  202  401  404'],
  ['POST /bulk action', 'fresh',           '403  403  403  403  404  403  403  403  403  401  404'],
  ['POST /bulk action', 'danger',          '409  409  403  409  404  403  409  403  409  401  404'],

  // Visible to who asked, and to those who may run the action on records that they see. All of them have succeeded.
  ['GET /runs', '',                        '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /runs/{id}', 'clerks',             '200  200  404  200  404  200  200  403  200  401  404'],
  ['GET /runs/{id}', 'admins',             '200  200  404  200  404  200  200  403  200  401  404'],
  ['GET /runs/{id}', 'seen',               '200  200  404  404  404  404  404  403  200  401  404'],
  ['GET /runs/{id}', 'hidden',             '200  200  404  404  404  404  404  403  200  401  404'],
  ['GET /runs/{id}', 'else',               '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /runs/{id}', 'no',                 '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /runs/{id}/cancel', 'clerks',     '409  409  404  409  404  403  403  403  409  401  404'],
  ['POST /runs/{id}/cancel', 'admins',     '409  409  404  409  404  403  403  403  409  401  404'],
  ['POST /runs/{id}/cancel', 'seen',       '409  409  404  404  404  404  404  403  409  401  404'],
  ['POST /runs/{id}/cancel', 'hidden',     '409  409  404  404  404  404  404  403  409  401  404'],
  ['POST /runs/{id}/cancel', 'else',       '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /runs/{id}/cancel', 'no',         '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /runs/{id}/retry', 'clerks',      '409  409  404  409  404  403  409  403  409  401  404'],
  ['POST /runs/{id}/retry', 'admins',      '409  409  404  409  404  403  409  403  409  401  404'],
  ['POST /runs/{id}/retry', 'seen',        '409  409  404  404  404  404  404  403  409  401  404'],
  ['POST /runs/{id}/retry', 'hidden',      '409  409  404  404  404  404  404  403  409  401  404'],
  ['POST /runs/{id}/retry', 'else',        '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /runs/{id}/retry', 'no',          '404  404  404  404  404  404  404  403  404  401  404'],

  // Visible to who asked, and with `approvals: see`, which the clerk has, to those who see the target. Only persons
  // decide, which is said before any id is looked at, and only who asked takes a request back.
  ['GET /approvals', '',                   '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /approvals/{id}', 'sups',          '200  200  404  200  404  200  200  403  200  401  404'],
  ['GET /approvals/{id}', 'admins',        '200  200  404  200  404  200  200  403  200  401  404'],
  ['GET /approvals/{id}', 'hidden',        '200  200  404  404  404  404  404  403  200  401  404'],
  ['GET /approvals/{id}', 'bulks',         '200  200  404  404  404  404  404  403  200  401  404'],
  ['GET /approvals/{id}', 'else',          '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /approvals/{id}', 'no',            '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /approvals/{id}/approve', 'sups', '403  403  403  403  403  403  403  403  200  401  404'],
  ['POST /approvals/{id}/approve', 'admins','403  403  403  403  403  403  403  403  200  401  404'],
  ['POST /approvals/{id}/approve', 'hidden','403  403  403  403  403  403  403  403  200  401  404'],
  ['POST /approvals/{id}/approve', 'persons','403  403  403  403  403  403  403  403  403  401  404'],
  ['POST /approvals/{id}/approve', 'else', '403  403  403  403  403  403  403  403  404  401  404'],
  ['POST /approvals/{id}/approve', 'no',   '403  403  403  403  403  403  403  403  404  401  404'],
  ['POST /approvals/{id}/reject', 'sups',  '403  403  403  403  403  403  403  403  200  401  404'],
  ['POST /approvals/{id}/reject', 'admins','403  403  403  403  403  403  403  403  200  401  404'],
  ['POST /approvals/{id}/reject', 'hidden','403  403  403  403  403  403  403  403  200  401  404'],
  ['POST /approvals/{id}/reject', 'persons','403  403  403  403  403  403  403  403  403  401  404'],
  ['POST /approvals/{id}/reject', 'else',  '403  403  403  403  403  403  403  403  404  401  404'],
  ['POST /approvals/{id}/reject', 'no',    '403  403  403  403  403  403  403  403  404  401  404'],
  ['POST /approvals/{id}/cancel', 'sups',  '403  403  404  403  404  403  200  403  403  401  404'],
  ['POST /approvals/{id}/cancel', 'admins','200  403  404  403  404  403  403  403  403  401  404'],
  ['POST /approvals/{id}/cancel', 'hidden','200  403  404  404  404  404  404  403  403  401  404'],
  ['POST /approvals/{id}/cancel', 'persons','403  403  404  403  404  403  403  403  200  401  404'],
  ['POST /approvals/{id}/cancel', 'else',  '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /approvals/{id}/cancel', 'no',    '404  404  404  404  404  404  404  403  404  401  404'],

  // Evaluating is no change. A supervised agent asks for an approval.
  ['GET /flags', '',                        '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /flags/{flag}', 'own',              '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /flags/{flag}', 'readOnly',         '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /flags/{flag}', 'hidden',           '200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /flags/{flag}', 'else',             '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /flags/{flag}', 'no',               '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /flags/{flag}/history', 'own',      '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /flags/{flag}/history', 'readOnly', '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /flags/{flag}/history', 'hidden',   '200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /flags/{flag}/history', 'else',     '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /flags/{flag}/history', 'no',       '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /flags/{flag}', 'own',             '200  200  403  200  404  403  202  403  200  401  404'],
  ['POST /flags/{flag}', 'readOnly',        '200  200  403  403  404  403  403  403  200  401  404'],
  ['POST /flags/{flag}', 'hidden',          '200  200  403  404  404  404  404  403  200  401  404'],
  ['POST /flags/{flag}', 'else',            '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /flags/{flag}', 'no',              '404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /ofrep/v1/evaluate/flags', '',     '200  200  200  200  200  200  200  200  200  401  404'],
  ['POST /ofrep/v1/evaluate/flags/{flag}', 'own','200  200  200  200  404  200  200  200  200  401  404'],
  ['POST /ofrep/v1/evaluate/flags/{flag}', 'readOnly','200  200  200  200  404  200  200  200  200  401  404'],
  ['POST /ofrep/v1/evaluate/flags/{flag}', 'hidden','200  200  200  404  404  404  404  200  200  401  404'],
  ['POST /ofrep/v1/evaluate/flags/{flag}', 'else','404  404  404  404  404  404  404  404  404  401  404'],
  ['POST /ofrep/v1/evaluate/flags/{flag}', 'no','404  404  404  404  404  404  404  404  404  401  404'],

  // Records are stored by app keys alone.
  ['GET /resources', '',                   '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /resources/{resource}', 'own',     '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /resources/{resource}', 'served',  '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /resources/{resource}', 'hidden',  '200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /resources/{resource}', 'else',    '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /resources/{resource}', 'no',      '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /resources/{resource}/list', 'own','200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /resources/{resource}/list', 'served','200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /resources/{resource}/list', 'hidden','200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /resources/{resource}/list', 'else','404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /resources/{resource}/list', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /resources/{resource}/{id}', 'own','200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /resources/{resource}/{id}', 'served','200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /resources/{resource}/{id}', 'hidden','200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /resources/{resource}/{id}', 'else','404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /resources/{resource}/{id}', 'no', '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /resources/{resource}/{id}/related/{relation}', 'own','200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /resources/{resource}/{id}/related/{relation}', 'served','200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /resources/{resource}/{id}/related/{relation}', 'hidden','200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /resources/{resource}/{id}/related/{relation}', 'else','404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /resources/{resource}/{id}/related/{relation}', 'no','404  404  404  404  404  404  404  403  404  401  404'],
  ['POST /resources/{resource}/records', 'own','403  403  403  403  404  403  403  200  403  401  404'],
  ['POST /resources/{resource}/records', 'served','403  403  403  403  404  403  403  409  403  401  404'],
  ['POST /resources/{resource}/records', 'hidden','403  403  403  404  404  404  404  200  403  401  404'],
  ['POST /resources/{resource}/records', 'else','404  404  404  404  404  404  404  404  404  401  404'],
  ['POST /resources/{resource}/records', 'no','404  404  404  404  404  404  404  404  404  401  404'],

  ['GET /pages', '',                       '200  200  200  200  200  200  200  403  200  401  404'],
  ['GET /pages/{page}', 'own',             '200  200  200  200  404  200  200  403  200  401  404'],
  ['GET /pages/{page}', 'hidden',          '200  200  200  404  404  404  404  403  200  401  404'],
  ['GET /pages/{page}', 'else',            '404  404  404  404  404  404  404  403  404  401  404'],
  ['GET /pages/{page}', 'no',              '404  404  404  404  404  404  404  403  404  401  404'],
];

/** What has a name is named after its column, but for what is not here. */
const nameOf = (thing: Thing): string => (thing === 'else' ? 'elsewhere' : thing === 'no' ? 'nosuch' : thing);
const responder = { via: 'app' } as const;

const resourceOf = (name: string): object => ({ name, source: 'stored', relations: [{ name: 'same', resource: name, field: 'same' }] });
const record = { id: 'rec', title: 'A record' };

/** Of the resource that the clerk sees unless said otherwise. */
const actions = [
  { name: 'own' }, { name: 'seen' }, { name: 'hidden', resource: 'hidden' }, { name: 'hiddenAsked', resource: 'hidden', approval: true }, { name: 'served', resource: 'served' },
  { name: 'asked', approval: true }, { name: 'fresh', freshSignIn: true }, { name: 'danger', danger: 'high' }, { name: 'background', background: true },
].map((action) => ({ resource: 'own', input: { type: 'object' }, ...action }));
const free = ['free', 'bare'].map((name) => ({ name, input: { type: 'object' } }));

const manifest = {
  resources: [...['own', 'hidden'].map(resourceOf), { name: 'served', source: 'app', relations: [{ name: 'same', resource: 'served' }] }],
  actions: [...actions, ...free],
  inboxes: ['own', 'readOnly', 'hidden'].map((name) => ({ name, reply: responder })),
  views: ['own', 'hidden'].map((inbox) => ({ name: inbox, inbox })),
  flags: ['own', 'readOnly', 'hidden'].map((key) => ({ key, kind: 'boolean', default: false })),
  pages: ['own', 'hidden'].map((name) => ({ name, blocks: [{ type: 'items', source: 'items', query: { inbox: name } }] })),
};
const otherManifest = {
  resources: [resourceOf('own'), resourceOf('elsewhere')],
  actions: [{ name: 'elsewhere', resource: 'elsewhere' }, { name: 'asked', resource: 'own', approval: true, input: { type: 'object' } }, { name: 'own', resource: 'own' }],
  inboxes: ['own', 'elsewhere'].map((name) => ({ name, reply: responder })), views: [{ name: 'elsewhere', inbox: 'elsewhere' }], pages: [{ name: 'elsewhere', blocks: [] }],
  flags: [{ key: 'elsewhere', kind: 'boolean', default: false }],
};

/** `sup` asks for something else than the others do, so that there is something left to ask for. */
const supervised: Readonly<Record<string, object>> = {
  state: { state: 'closed' }, assign: { assignee: 'pers' }, tags: { add: ['sup'] }, snooze: { until: 4_102_444_800_001 }, triage: { answers: { spam: 'yes' } },
};
/** The tool of an endpoint. */
const tools: Readonly<Record<string, string>> = {
  'GET /me': 'get_me', 'GET /inboxes': 'list_inboxes', 'GET /views': 'list_views', 'GET /people': 'list_people', 'GET /items': 'list_items', 'GET /items/{id}': 'get_item', 'GET /items/{id}/timeline': 'get_item_timeline',
  'POST /items': 'create_item', 'POST /items/{id}/state': 'set_item_state', 'POST /items/{id}/assign': 'assign_item', 'POST /items/{id}/tags': 'tag_item', 'POST /items/{id}/snooze': 'snooze_item', 'POST /items/{id}/notes': 'add_note',
  'POST /items/{id}/reply': 'reply_to_item', 'POST /items/{id}/triage': 'triage_item', 'POST /bulk': 'bulk_items', 'GET /bulk/{id}': 'get_bulk', 'GET /bulk/{id}/results': 'get_bulk_results', 'POST /bulk/{id}/cancel': 'cancel_bulk', 'POST /bulk/{id}/undo': 'undo_bulk',
  'GET /actions': 'list_actions', 'POST /available': 'available_actions', 'GET /runs': 'list_runs', 'GET /runs/{id}': 'get_run', 'POST /runs/{id}/cancel': 'cancel_run', 'POST /runs/{id}/retry': 'retry_run',
  'GET /approvals': 'list_approvals', 'GET /approvals/{id}': 'get_approval', 'POST /approvals/{id}/cancel': 'cancel_approval', 'GET /flags': 'list_flags', 'GET /flags/{flag}': 'get_flag', 'GET /flags/{flag}/history': 'get_flag_history', 'POST /flags/{flag}': 'change_flag',
  'GET /resources': 'list_resources', 'GET /resources/{resource}': 'search_records', 'GET /resources/{resource}/list': 'list_records', 'GET /resources/{resource}/{id}': 'get_record', 'GET /resources/{resource}/{id}/related/{relation}': 'get_related_records',
  'GET /pages': 'list_pages', 'GET /pages/{page}': 'get_page', 'GET /changes': 'list_changes',
};
/** What the app answers: one record of what it serves, and that every action is done. */
const serving = {
  'action.run': () => ({ message: 'Done.', blocks: [] }),
  'records.search': () => ({ records: [record] }), 'records.list': () => ({ records: [record], cursor: null }), 'records.related': () => ({ records: [record], cursor: null }),
  'records.get': ({ ids }: { ids: readonly string[] }) => ({ records: [record].filter(({ id }) => ids.includes(id)) }),
};

const bodies: Readonly<Record<string, object>> = {
  state: { state: 'waiting' }, assign: { assignee: null }, tags: { add: ['x'] }, snooze: { until: 4_102_444_800_000 }, notes: { text: 'x' },
  reply: { subject: 'x', text: 'y' }, triage: { answers: { spam: 'no' } }, cancel: {}, undo: {}, tickets: {},
};

describe('the permission matrix', () => {
  let world: World;
  let documents: Documents;
  const clients = new Map<Persona, Client>();
  const items = new Map<Thing, string>([['no', 'itm_01jd0000000000000000000000']]);
  const bulks = new Map<Thing, string>([['no', 'blk_01jd0000000000000000000000']]);
  const runs = new Map<Thing, string>([['no', 'run_01jd0000000000000000000000']]);
  /** By what is done to them and whose they are, as each can be decided only once. */
  const approvals = new Map<string, string>();
  let app: FakeApp;

  /** Makes a finished bulk that changed something, so that cancelling it is refused and undoing it isn't. */
  const finishedBulk = async (client: Client, item: string, tag: string): Promise<string> => {
    const { body } = await client.post('/bulk', { ids: [item], operation: { type: 'tags', add: [tag], remove: [] } });
    await world.settled();
    return body.bulk.id as string;
  };

  const idOf = (path: string, thing: Thing): string => {
    if (path.startsWith('/resources')) return record.id;
    if (path.startsWith('/approvals')) return approvals.get(`${path.split('/')[3] ?? 'get'} ${thing}`) ?? 'apr_01jd0000000000000000000000';
    return (path.startsWith('/bulk') ? bulks : path.startsWith('/runs') ? runs : items).get(thing) ?? '';
  };

  /** A record of `elsewhere` that `demo` doesn't have, for the row that asks for one. */
  const there = 'rec_there';
  const actionBody = (thing: Thing, variant: string): object => {
    if (variant === 'item') return { action: 'free', item: items.get(thing) };
    if (variant === 'record') return { action: 'own', record: thing === 'else' ? there : 'nosuch' };
    return { action: nameOf(thing), ...(thing === 'free' || thing === 'bare' ? {} : { record: record.id }) };
  };
  const bulkBody = (thing: Thing, variant: string): object => {
    if (variant === 'action') return { ids: [items.get('own')], operation: { type: 'action', action: nameOf(thing), input: {} } };
    return { ids: [items.get(thing)], operation: { type: 'snooze', until: 4_102_444_800_000 }, ...(variant === 'dryRun' ? { dryRun: true } : {}) };
  };
  const changeBody = (verb: string, client: Client): object => {
    const body = (client.id === clients.get('sup')?.id ? supervised[verb] : undefined) ?? bodies[verb] ?? {};
    return 'assignee' in body && body.assignee === 'pers' ? { assignee: clients.get('pers')?.id } : body;
  };
  const bodyOf = (path: string, thing: Thing, variant: string, client: Client): object => {
    switch (path) {
      case '/items':
        return { inbox: nameOf(thing), title: 'x' };
      case '/actions':
        return actionBody(thing, variant);
      case '/mcp':
        return { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      case '/available':
        return { refs: [{ resource: nameOf(thing), id: record.id }] };
      case '/bulk':
        return bulkBody(thing, variant);
      case '/flags/{flag}':
        return { change: { value: true } };
      default:
        return changeBody(path.split('/').at(-1) ?? '', client);
    }
  };

  const send = async (endpoint: string, thing: Thing, client: Client): Promise<Reply> => {
    const [method = '', path = '', variant = ''] = endpoint.split(' ');
    const [plain = '', parameter] = path.split('?');
    const query = parameter === undefined ? '' : `?${parameter}=${nameOf(thing)}`;
    const target = `${plain.replace(/\{resource\}|\{page\}|\{flag\}/, nameOf(thing)).replace('{relation}', 'same').replace('{id}', idOf(plain, thing))}${query}`;
    return method === 'GET' ? client.get(target) : client.post(target, bodyOf(plain, thing, variant, client));
  };

  /** The tool that does what the endpoint of a row does, with the arguments that say the same; null: there is none. */
  const toolOf = (endpoint: string, thing: Thing, client: Client): readonly [string, object] | null => {
    const [method = '', path = '', variant = ''] = endpoint.split(' ');
    const [plain = '', parameter] = path.split('?');
    const body = method === 'GET' ? {} : bodyOf(plain, thing, variant, client);
    if (`${method} ${plain}` === 'POST /actions') {
      const { action, ...given } = body as { action: string };
      return [`action_${action}`, given];
    }
    const name = tools[`${method} ${plain}`];
    if (name === undefined) return null;
    const params = { ...(plain.includes('{id}') ? { id: idOf(plain, thing) } : {}), ...Object.fromEntries([...plain.matchAll(/\{(resource|page|flag)\}/g)].map(([, one = '']) => [one, nameOf(thing)])), ...(plain.includes('{relation}') ? { relation: 'same' } : {}) };
    return [name, { ...params, ...(parameter === undefined ? {} : { [parameter]: nameOf(thing) }), ...body }];
  };

  /** One request for approval of each kind for each of what may be done to it. */
  const askForApprovals = async (elsewhere: Client): Promise<void> => {
    const { admin, sup, pers } = Object.fromEntries(clients) as Record<Persona, Client>;
    for (const verb of ['get', 'approve', 'reject', 'cancel']) {
      const asked = (action: string): object => ({ action, record: record.id, input: { verb } });
      const wanted: readonly [Thing, Client, string, object][] = [
        ['sups', sup, `/items/${items.get('own') ?? ''}/notes`, { text: verb }], ['admins', admin, '/actions', asked('asked')], ['hidden', admin, '/actions', asked('hiddenAsked')],
        ['persons', pers, '/actions', asked('asked')], ['else', elsewhere, '/actions', asked('asked')],
      ];
      for (const [thing, client, path, body] of wanted) approvals.set(`${verb} ${thing}`, (await client.post(path, body)).body.approval);
    }
    const bulk = { ids: [items.get('hidden')], operation: { type: 'action', action: 'hiddenAsked', input: {} } };
    approvals.set('get bulks', (await admin.post('/bulk', bulk)).body.approval);
  };

  before(async () => {
    world = await newWorld({ manifest });
    await world.environment('staging', otherManifest);
    documents = await readDocuments(world.base);
    const grants = [{ on: 'resource:own', can: ['see'] }, { on: 'page:own', can: ['see'] }, { on: 'inbox:own', can: ['*'] }, { on: 'inbox:readOnly', can: ['see'] },
      { on: 'flag:own', can: ['*'] }, { on: 'flag:readOnly', can: ['see'] }, { on: 'resource:served', can: ['see'] }, { on: 'approvals', can: ['see'] }, ...['own', 'free', 'served', 'asked', 'fresh', 'danger', 'background'].map((name) => ({ on: `action:${name}`, can: ['run'] }))];
    await world.role('clerk', grants);
    await world.role('nothing', []);
    const made: Readonly<Record<Persona, Client>> = {
      admin: await world.agent('admin'),
      oper: await world.agent('operator'),
      view: await world.agent('viewer'),
      clerk: await world.agent('clerk'),
      none: await world.agent('nothing'),
      read: await world.agent('clerk', { mode: 'readonly' }),
      sup: await world.agent('clerk', { mode: 'supervised' }),
      app: await world.appKey(),
      pers: await world.person('operator'),
      gone: await world.agent('admin'),
      away: await world.agent('admin', { environments: ['staging'] }),
    };
    for (const persona of personas) clients.set(persona, documents.of(made[persona]));
    const { admin, clerk, away } = made;
    for (const inbox of ['own', 'readOnly', 'hidden'] as const) items.set(inbox, (await admin.post('/items', { inbox, title: inbox, record: { resource: 'own', id: record.id } })).body.item.id);
    const elsewhere = world.elsewhere(away, 'staging');
    items.set('else', (await elsewhere.post('/items', { inbox: 'elsewhere', title: 'x' })).body.item.id);
    for (const resource of ['own', 'hidden']) await world.records(resource, [record]);
    await world.records('elsewhere', [record], 'staging');
    await world.records('own', [record, { ...record, id: there }], 'staging');
    app = await connectApp(await world.appKey(), { manifest, handlers: serving });
    bulks.set('clerks', await finishedBulk(clerk, items.get('own') ?? '', 'clerks'));
    bulks.set('admins', await finishedBulk(admin, items.get('own') ?? '', 'admins'));
    bulks.set('else', await finishedBulk(elsewhere, items.get('else') ?? '', 'else'));
    const ran: readonly [Thing, Client, string][] = [['clerks', clerk, 'own'], ['admins', admin, 'own'], ['seen', admin, 'seen'], ['hidden', admin, 'hidden'], ['else', elsewhere, 'own']];
    for (const [thing, client, action] of ran) runs.set(thing, (await client.post('/actions', { action, record: record.id })).body.run);
    await askForApprovals(elsewhere);
    await world.revoke(made.gone);
  });
  after(async () => {
    await app.close();
    await world.close();
  });

  it('has rows for every endpoint, and at least 2,000 cells', () => {
    const named = new Set(rows.map(([endpoint]) => endpoint.replace(/\?.*/, '').split(' ').slice(0, 2).join(' ')));
    // Those of settings and sign-in stand in settingsMatrix.test.ts.
    const endpoints = documents.operations.filter(({ path }) => !/^\/(?:settings|sign-)/.test(path)).map(({ method, path }) => `${method} ${path}`);
    expect(endpoints.filter((endpoint) => !named.has(endpoint)), 'add rows for the new endpoint to this table').to.deep.equal([]);
    expect([...named].filter((endpoint) => !endpoints.includes(endpoint)), 'these rows have no endpoint any more').to.deep.equal([]);
    for (const [endpoint, , statuses] of rows) expect(statuses.split(/ +/), endpoint).to.have.length(personas.length);
    expect(rows.length * personas.length).to.be.at.least(2_000);
  });

  for (const [endpoint, thing, statuses] of rows) {
    it(`${endpoint} ${thing}: ${statuses.replace(/ +/g, ' ')}`, async () => {
      const wanted = statuses.split(/ +/);
      const got: string[] = [];
      for (const persona of personas) got.push(String((await send(endpoint, thing, clients.get(persona) ?? world.nobody())).status));
      const cells = (list: readonly string[]): string[] => personas.map((persona, i) => `${persona} ${list[i] ?? ''}`);
      expect(cells(got)).to.deep.equal(cells(wanted));
    });
  }

  it('lets tools do what the endpoints let do, and no more', async () => {
    let compared = 0;
    for (const [endpoint, thing, statuses] of rows) {
      for (const [i, wanted] of statuses.split(/ +/).entries()) {
        const persona = personas[i];
        const client = persona === undefined ? undefined : clients.get(persona);
        const call = client === undefined ? null : toolOf(endpoint, thing, client);
        if (client === undefined || call === null) continue;
        const { status, reply } = await callTool(client, ...call);
        // A second time there may be nothing left to do.
        const expected = persona === 'app' ? [403] : Number(wanted) < 300 ? [200, ...(endpoint.includes('cancel') ? [409] : [])] : [Number(wanted)];
        expect(status, `${endpoint} ${thing} ${String(persona)} ${JSON.stringify(call)} ${reply.text}`).to.be.oneOf(expected);
        compared += 1;
      }
    }
    expect(compared).to.be.above(1_500);
  });

  it('answers what is hidden and what doesn’t exist with the same bytes, headers included', async () => {
    const own = new Set(['x-request-id', 'date', 'ratelimit']);
    const shown = ({ status, text, headers }: Reply): object => ({ status, text, headers: [...headers].filter(([name]) => !own.has(name)) });
    // Of these there is no row about something that doesn't exist, or it is no 404, or (test/flags/ofrep.test.ts) it names the flag.
    const none = new Set(['POST /bulk', 'POST /bulk dryRun', 'POST /ofrep/v1/evaluate/flags/{flag}']);
    let compared = 0;
    for (const [endpoint, thing, statuses] of rows) {
      if (thing === 'no' || none.has(endpoint)) continue;
      for (const [i, status] of statuses.split(/ +/).entries()) {
        const persona = personas[i];
        const client = persona === undefined ? undefined : clients.get(persona);
        if (status !== '404' || client === undefined || persona === 'away') continue;
        const [hidden, unknown] = [await send(endpoint, thing, client), await send(endpoint, 'no', client)];
        expect(shown(hidden), `${endpoint} ${thing} ${String(persona)}`).to.deep.equal(shown(unknown));
        compared += 1;
      }
    }
    expect(compared).to.be.above(300);
  });

  it('lets a person run what needs a fresh sign-in while it is fresh, and no agent in any way', async () => {
    const body = { action: 'fresh', record: record.id };
    const bulk = { ids: [items.get('own')], operation: { type: 'action', action: 'fresh', input: {} } };
    const signedIn = await world.person('operator', 'Fresh', { fresh: true });
    expect((await signedIn.post('/actions', body)).status).to.equal(200);
    expect((await callTool(signedIn, 'action_fresh', { record: record.id })).status).to.equal(200);
    const made = async (): Promise<number> => (await world.sql(`select id from runs where action = 'fresh'`)).length;
    const before = await made();
    for (const persona of ['admin', 'oper', 'clerk', 'read', 'sup', 'pers'] as const) {
      for (const [path, sent] of [['/actions', body], ['/bulk', bulk], ['/bulk', { ...bulk, dryRun: true }]] as const) expect((await clients.get(persona)?.post(path, sent))?.status, `${persona} ${path}`).to.equal(403);
      expect((await callTool(clients.get(persona) ?? world.nobody(), 'action_fresh', { record: record.id })).status, `${persona} action_fresh`).to.equal(403);
    }
    expect(await made()).to.equal(before);
  });

  it('lets a person decide only what they see, and answers the rest as if it weren’t there', async () => {
    await world.role('decides', [{ on: 'resource:own', can: ['see'] }, { on: 'inbox:own', can: ['see'] }, { on: 'approvals', can: ['*'] }]);
    const narrow = documents.of(await world.person('decides'));
    const approval = (thing: Thing): string => approvals.get(`get ${thing}`) ?? '';
    for (const verb of ['approve', 'reject']) {
      const none = await narrow.post(`/approvals/apr_01jd0000000000000000000000/${verb}`);
      for (const thing of ['hidden', 'bulks', 'else'] as const) {
        const { status, text } = await narrow.post(`/approvals/${approval(thing)}/${verb}`);
        expect([status, text], `${verb} ${thing}`).to.deep.equal([404, none.text]);
      }
    }
    expect((await narrow.get('/approvals?limit=200')).body.approvals.map(({ id }: { id: string }) => id)).to.not.include.members([approval('hidden'), approval('bulks')]);
    for (const thing of ['sups', 'admins'] as const) expect((await narrow.post(`/approvals/${approval(thing)}/reject`)).status, thing).to.equal(200);
  });

  it('changes nothing that was refused', async () => {
    const { admin, clerk, sup } = Object.fromEntries(clients) as Record<Persona, Client>;
    interface Entry { readonly type: string; readonly actor: { readonly id: string }; readonly data: { readonly text?: string; readonly run?: string } }
    const allowed = new Set([...clients].filter(([persona]) => ['admin', 'oper', 'app', 'pers'].includes(persona)).map(([, client]) => client.id));
    const others = async (thing: Thing): Promise<Entry[]> =>
      ((await admin.get(`/items/${items.get(thing) ?? ''}`)).body.timeline as Entry[]).filter(({ actor }) => !allowed.has(actor.id));
    expect(await others('hidden')).to.deep.equal([]);
    // Whoever sees an item may record a run of an action there, which changes nothing of the item.
    expect((await others('readOnly')).filter(({ type }) => type !== 'action' && type !== 'approval')).to.deep.equal([]);
    const ownOnes = (await others('own')).filter(({ actor }) => actor.id !== clerk.id);
    const runsOfSup = ((await sup.get('/runs?limit=200')).body.runs as { id: string; status: string }[]).filter(({ status }) => status === 'pending').map(({ id }) => id);
    // Of the supervised agent there are its requests, and what the person approved.
    const asked = ({ type, data }: Entry): boolean => type === 'approval' || data.text === 'approve' || runsOfSup.includes(data.run ?? '');
    expect(ownOnes.filter((entry) => !asked(entry))).to.deep.equal([]);
  });
});
