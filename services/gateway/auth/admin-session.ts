import { createHash, randomBytes } from 'node:crypto';
import * as sessions from '../../../shared/contracts/admin-sessions.ts';
import type { Actor } from '../../../shared/contracts/audit.ts';
import { call } from '../../../shared/contracts/call.ts';
import type { Bus } from '../../../shared/ports/bus.ts';
import { requireOwnPage } from '../http/own-page.ts';
import type { RequestContext } from '../http/request-context.ts';
import { createSignedTokens } from './signed-tokens.ts';

const NAME = 'perch_admin';

/** A session ends an hour after its sign-in, however it is used. */
export const ADMIN_SESSION_SECONDS = 3600;

/** The addresses that get the cookie: the console, and the API that its pages ask. */
const PATHS = ['/admin', '/api/admin'];

/** A browser in which the operator is signed in. */
export interface AdminSession {
  /** The SHA-256 of the cookie's token, in hex. */
  id: string;
  /** Token for a hidden field of every form of the console: another page does not know it. */
  csrfToken: string;
}

/**
 * Signs the operator in with a cookie, for the console. The cookie is signed, so that a forged one costs no look-up, and
 * good only while its session is open in the database, so that a sign-out holds on every gateway at once. A new admin
 * password makes all cookies void.
 */
export interface AdminSessions {
  /** Opens a session. Returns the values for Set-Cookie. `isSecure`: for https alone. */
  open(context: RequestContext, actor: Actor, isSecure: boolean): Promise<string[]>;
  /** The session of a request; `null` when it carries no cookie of one that is open. */
  find(context: RequestContext): Promise<AdminSession | null>;
  /** Ends a session, or with `null` all of them. Returns the values for Set-Cookie that remove the cookie. */
  end(context: RequestContext, actor: Actor, session: AdminSession | null): Promise<string[]>;
  /**
   * Whether a form of the console was made for this session, by its CSRF token: one of an earlier sign-in was not.
   * @throws CROSS_SITE_FORBIDDEN when the browser says that a page of another origin has sent it
   */
  isOwnForm(context: RequestContext, session: AdminSession, csrfToken: string): boolean;
}

export interface AdminSecrets {
  /** The operator's; `null` turns admin off. */
  password: string | null;
  /** Signs cookies, and keeps wrong passwords from being read out of the cache. */
  cookieSecret: string;
}

const COOKIE = new RegExp(`(?:^|;\\s*)${NAME}=([\\w-]{43})\\.(\\d{1,12}\\.[\\w-]{43})(?=;|$)`, 'g');

const idOf = (token: string): string => createHash('sha256').update(token).digest('hex');

export function createAdminSessions(bus: Bus, { password, cookieSecret }: AdminSecrets): AdminSessions {
  const passwordMark = createHash('sha256').update(`${cookieSecret} ${password}`).digest('base64url');
  const cookieTokens = createSignedTokens(cookieSecret, `admin session ${passwordMark}`);
  const csrfTokens = createSignedTokens(cookieSecret, `admin form ${passwordMark}`);

  /** There may be several: a page of a related host can set one of that name, too. */
  const signedIds = (cookies: string): string[] =>
    Array.from(cookies.matchAll(COOKIE), ([, token = '', signature = '']) => ({ id: idOf(token), signature }))
      .filter(({ id, signature }) => cookieTokens.verify(id, signature))
      .map(({ id }) => id);

  return {
    async open(context, actor, isSecure) {
      const token = randomBytes(32).toString('base64url');
      const sessionId = idOf(token);
      const expiresAt = Date.now() + ADMIN_SESSION_SECONDS * 1000;
      await call(bus, sessions.openAdminSession, { sessionId, expiresAt, actor }, context.callContext);
      const signature = cookieTokens.sign(sessionId, Math.floor(expiresAt / 1000));
      return cookiesFor(`${token}.${signature}`, ADMIN_SESSION_SECONDS, isSecure);
    },
    async find(context) {
      for (const id of signedIds(context.request.headers.get('cookie') ?? '')) {
        const { isOpen } = await call(
          bus,
          sessions.checkAdminSession,
          { sessionId: id },
          context.callContext,
        );
        const until = Math.floor(Date.now() / 1000) + ADMIN_SESSION_SECONDS;
        if (isOpen) return { id, csrfToken: csrfTokens.sign(id, until) };
      }
      return null;
    },
    async end(context, actor, session) {
      const input = { sessionId: session?.id ?? null, actor };
      await call(bus, sessions.endAdminSessions, input, context.callContext);
      return cookiesFor('', 0, false);
    },
    isOwnForm(context, session, csrfToken) {
      requireOwnPage(context);
      return csrfTokens.verify(session.id, csrfToken);
    },
  };
}

const cookiesFor = (value: string, seconds: number, isSecure: boolean): string[] =>
  PATHS.map(
    (path) =>
      `${NAME}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`,
  );
