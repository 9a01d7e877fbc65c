/** The dependencies that a process passes to the domains (approvals, items, records, replies, triage). */
import type { AppLink } from '../app/link/link.ts';
import type { PlatformDeps } from '../platform/deps.ts';
import type { Directory } from './directory.ts';
import type { OpenId } from './openId/provider.ts';
import type { WriteMeter } from './writtenBytes.ts';

export interface DomainDeps extends PlatformDeps {
  readonly directory: Directory;
  readonly link: AppLink;
  /** The provider by which people sign in; null: none. */
  readonly openId: OpenId | null;
  readonly meter: WriteMeter;
}
