import { type AccessColumns, ID_SEPARATOR, type Places } from '../../shared/contracts/access-columns.ts';
import type { RequestAttributes } from '../../shared/contracts/access-log.ts';
import { KINDS } from '../../shared/items/item.ts';
import type { AlikeRequests } from './alike-requests.ts';

/** A batch in columns, its ids by themselves. */
type ReadColumns = Omit<AccessColumns, 'requestId'> & { requestId: string[] };

/** Splits the ids of a batch, which gateways of an earlier release send as an array. */
export const withIds = (columns: AccessColumns): ReadColumns => ({
  ...columns,
  requestId: requestIdsOf(columns),
});

const requestIdsOf = ({ requestId, at }: AccessColumns): string[] =>
  typeof requestId !== 'string' ? requestId : at.length === 0 ? [] : requestId.split(ID_SEPARATOR);

/**
 * The events of a batch in columns, one by one. Unchecked: where a column is too short, or a place leads nowhere, an event lacks
 * what is there.
 */
export function eventsOf(columns: ReadColumns): unknown[] {
  const { since, requestId, durationMs, requests } = columns;
  const attributesAt = attributesOf(columns);
  return columns.at.map((at, index) => ({
    ...attributesAt(index),
    at: since + at,
    requestId: requestId[index],
    durationMs: durationMs[index],
    requests: requests?.[index] ?? 1,
  }));
}

/** The events of a batch in columns that `areSound`. */
export function runsOf(columns: ReadColumns): AlikeRequests[] {
  const { since, requests } = columns;
  const { length } = columns.at;
  const attributesAt = attributesOf(columns);
  const at = columns.at.map((ms) => since + ms);
  const varying = [...Object.values(placesOf(columns)), columns.status, requests ?? 1].filter(Array.isArray);
  const isLikeNext = (index: number): boolean =>
    varying.every((column: number[]) => column[index] === column[index + 1]);
  const runs: AlikeRequests[] = [];
  for (let from = 0; from < length; ) {
    let to = from + 1;
    while (to < length && isLikeNext(to - 1)) to += 1;
    runs.push({
      attributes: attributesAt(from) as RequestAttributes,
      times: requests?.[from] ?? 1,
      at: at.slice(from, to),
      requestIds: columns.requestId.slice(from, to),
      durationsMs: columns.durationMs.slice(from, to),
    });
    from = to;
  }
  return runs;
}

/** Whether columns of the right types hold nothing but events as agreed: to look at each event costs far more. */
export function areSound(columns: ReadColumns): boolean {
  const { texts, since, at, status, durationMs, requests = [] } = columns;
  const { length } = at;
  const have = (places: Places, least: number): boolean => {
    const isText = (place: number) => place >= least && place < texts.length;
    return typeof places === 'number' ? isText(places) : places.length === length && places.every(isText);
  };
  const kinds = [columns.resourceType].flat().every((place) => place === -1 || isKind(texts[place]));
  const lengths = [columns.requestId.length, durationMs.length];
  if (Array.isArray(status)) lengths.push(status.length);
  if (columns.requests !== undefined) lengths.push(requests.length);
  return (
    lengths.every((of) => of === length) &&
    at.every((ms) => since + ms >= 0) &&
    [status].flat().every((code) => code >= 100 && code <= 599) &&
    durationMs.every((ms) => ms >= 0) &&
    requests.every((times) => times >= 1) &&
    kinds &&
    [columns.clientIp, columns.method, columns.path, columns.query].every((places) => have(places, 0)) &&
    [columns.userAgent, columns.referer, columns.resourceType].every((places) => have(places, -1)) &&
    [columns.resourceNamespace, columns.resourceId, columns.viewed ?? -1].every((places) => have(places, -1))
  );
}

const isKind = (text: string | undefined): boolean => KINDS.some((kind) => kind === text);

/** Columns of places of texts. */
const placesOf = (columns: ReadColumns) => ({
  clientIp: columns.clientIp,
  userAgent: columns.userAgent,
  method: columns.method,
  path: columns.path,
  query: columns.query,
  referer: columns.referer,
  resourceType: columns.resourceType,
  resourceNamespace: columns.resourceNamespace,
  resourceId: columns.resourceId,
  viewed: columns.viewed ?? -1,
});

/** Makes the attributes of an event, by its index. */
function attributesOf(columns: ReadColumns): (index: number) => Record<keyof RequestAttributes, unknown> {
  const { texts, status } = columns;
  const textsOf = (places: Places): ((index: number) => unknown) => {
    const textAt = (place = texts.length) => (place === -1 ? null : texts[place]);
    if (typeof places !== 'number') return (index) => textAt(places[index]);
    const text = textAt(places);
    return () => text;
  };
  const places = placesOf(columns);
  const clientIp = textsOf(places.clientIp);
  const userAgent = textsOf(places.userAgent);
  const method = textsOf(places.method);
  const path = textsOf(places.path);
  const query = textsOf(places.query);
  const referer = textsOf(places.referer);
  const resourceType = textsOf(places.resourceType);
  const resourceNamespace = textsOf(places.resourceNamespace);
  const resourceId = textsOf(places.resourceId);
  const viewed = textsOf(places.viewed);
  return (index) => ({
    clientIp: clientIp(index),
    userAgent: userAgent(index),
    method: method(index),
    path: path(index),
    query: query(index),
    status: typeof status === 'number' ? status : status[index],
    referer: referer(index),
    resourceType: resourceType(index),
    resourceNamespace: resourceNamespace(index),
    resourceId: resourceId(index),
    viewed: viewed(index),
  });
}
