import { isIP } from 'node:net';
import { errors } from '../../../../shared/errors.ts';

/**
 * Lets through programs, which send no Origin, and pages of the service itself. A page of another host is refused, and so
 * is one whose name was made to lead here (DNS rebinding): the origin has to be that of BASE_URL, or a host without DNS.
 * @throws CROSS_SITE_FORBIDDEN
 */
export function requireAllowedOrigin({ headers }: Request, baseUrl: string | null): void {
  const origin = headers.get('origin');
  if (origin === null) return;
  const page = URL.canParse(origin) ? new URL(origin) : null;
  if (page !== null && baseUrl !== null && page.origin === new URL(baseUrl).origin) return;
  if (page?.host !== headers.get('host') || !isWithoutDns(page.hostname)) throw errors.crossSiteForbidden();
}

const isWithoutDns = (hostname: string): boolean =>
  hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
