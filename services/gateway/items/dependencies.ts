import type { GatewayParts } from '../../../shared/wiring/parts.ts';
import type { Limits } from '../admission/rate-limits.ts';
import type { OwnViews } from '../auth/own-views.ts';
import type { Passwords } from '../auth/passwords.ts';
import type { UnlockCookies } from '../auth/unlock-cookie.ts';
import type { UnlockForms } from '../auth/unlock-form.ts';
import type { ContentReader } from './content-reader.ts';
import type { RouteLookup } from './item-lookup.ts';
import type { ReadAccess } from './read-access.ts';
import type { PageViews } from './rendered-pages.ts';
import type { WholeBodies } from './whole-bodies.ts';

/** Dependencies of finding and reading an item of any kind. */
export interface ReadDependencies extends GatewayParts {
  limits: Limits;
  lookup: RouteLookup;
  views: PageViews;
  reader: ContentReader;
  bodies: WholeBodies;
  access: ReadAccess;
  passwords: Passwords;
  cookies: UnlockCookies;
  unlockForms: UnlockForms;
  ownViews: OwnViews;
}
