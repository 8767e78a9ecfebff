import type { GatewayProcessDependencies } from '../../../shared/wiring/dependencies.ts';
import type { Limits } from '../admission/rate-limits.ts';
import type { Passwords } from '../auth/passwords.ts';
import type { OwnViews } from '../auth/signed-tokens.ts';
import type { UnlockForms } from '../auth/unlock-form.ts';
import type { EntryTickets, UnlockCookies } from '../auth/unlock-proofs.ts';
import type { ItemHosts } from '../http/hosts.ts';
import type { Live } from '../live/live.ts';
import type { ContentReader } from './content-reader.ts';
import type { DomainLookup, LabelLookup } from './host-lookup.ts';
import type { ItemLookup } from './item-lookup.ts';
import type { ResponseBodies } from './response-bodies.ts';
import type { ResponseMemory } from './response-memory.ts';

/** Dependencies of finding and reading an item of any kind. */
export interface ReadDependencies extends GatewayProcessDependencies {
  limits: Limits;
  lookup: ItemLookup;
  reader: ContentReader;
  bodies: ResponseBodies;
  passwords: Passwords;
  cookies: UnlockCookies;
  entryTickets: EntryTickets;
  unlockForms: UnlockForms;
  itemHosts: ItemHosts;
  labels: LabelLookup;
  domains: DomainLookup;
  ownViews: OwnViews;
  live: Live;
  responseMemory: ResponseMemory;
}
