import { isIP } from 'node:net';
import {
  type AccessFilter,
  PATH_CHARACTERS,
  USER_AGENT_CHARACTERS,
} from '../../../../shared/contracts/access-log.ts';
import { canonicalAddress } from '../../http/client.ts';
import { parseInstant, parseText } from '../../http/parameters.ts';
import type { ValidationIssues } from '../../http/validation-issues.ts';
import { ITEM_ID, NAMESPACE } from '../../items/item-address.ts';

/** Parses the filter of the access log from a query (specification 18.3). A blank parameter counts as left out. */
export function parseAccessFilter(query: URLSearchParams, issues: ValidationIssues): AccessFilter {
  const refuse = (field: string, message: string): null => {
    issues.add('VALIDATION_FAILED', field, message);
    return null;
  };
  const text = (name: string): string | null => query.get(name)?.trim() || null;

  const ip = text('ip');
  const address = ip === null ? null : parseAddress(ip, refuse);
  const method = text('method')?.toUpperCase() ?? null;
  const resource = parseResource(text('resource'), refuse);
  const from = parseInstant(query, 'from', issues);
  const to = parseInstant(query, 'to', issues);
  if (from !== null && to !== null && to < from) refuse('to', 'must not be before "from".');
  return {
    // Passed over with a resource, and an address all the same.
    clientIp: resource === null ? address : null,
    method:
      method === null || /^[A-Z-]{1,20}$/.test(method)
        ? method
        : refuse('method', 'must be the name of a method, such as GET.'),
    ...parseStatus(text('status'), refuse),
    pathPrefix: parsePath(query.get('path'), issues, refuse),
    resource,
    userAgent: parseText(query.get('ua'), 'ua', USER_AGENT_CHARACTERS, issues),
    from,
    to,
  };
}

type Refuse = (field: string, message: string) => null;

/** The log has addresses in their canonical form, however they were spelled. */
function parseAddress(text: string, refuse: Refuse): string | null {
  return isIP(text) !== 0 ? canonicalAddress(text) : refuse('ip', 'must be an IPv4 or IPv6 address.');
}

function parseStatus(text: string | null, refuse: Refuse): Pick<AccessFilter, 'status' | 'statusClass'> {
  const none = { status: null, statusClass: null };
  if (text === null) return none;
  if (/^[1-5]\d\d$/.test(text)) return { ...none, status: Number(text) };
  if (/^[1-5]xx$/i.test(text)) return { ...none, statusClass: Number(text[0]) };
  refuse('status', 'must be a status such as 404, or a class of them such as 4xx.');
  return none;
}

function parsePath(value: string | null, issues: ValidationIssues, refuse: Refuse): string | null {
  const path = parseText(value, 'path', PATH_CHARACTERS, issues);
  if (path === null || path.startsWith('/')) return path === null ? null : asLogged(path);
  return refuse('path', 'must begin with a slash: it is the beginning of a path.');
}

/** The log has paths as they were received, percent-encoded; the query decoded it once. */
const asLogged = (path: string): string => path.replace(/[^\u0021-\u007e]|["#<>?`{}]/gu, encodeURIComponent);

function parseResource(text: string | null, refuse: Refuse): AccessFilter['resource'] {
  if (text === null) return null;
  const [name = '', id = null, ...rest] = text.replace(/^\//, '').split('/');
  if (id === null && (NAMESPACE.test(name) || ITEM_ID.test(name))) {
    return { namespace: name, id, isAlsoId: true };
  }
  if (id !== null && NAMESPACE.test(name) && ITEM_ID.test(id) && rest.length === 0) {
    return { namespace: name, id };
  }
  return refuse('resource', 'must be an item as "namespace/id", an id, or a namespace.');
}
