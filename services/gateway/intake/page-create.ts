import type { createPage } from '../../../shared/contracts/content.ts';
import type { InputOf } from '../../../shared/contracts/operation.ts';
import { newOwnerToken } from '../../../shared/ids.ts';
import { LIMITS } from '../../../shared/items/item.ts';
import { groupingTokenOf, hashOwnerToken } from '../access/owner-token.ts';
import { hashPassword } from '../access/passwords.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import type { Exchange } from '../http/exchange.ts';
import { parseCreateParameters } from './create-parameters.ts';
import { collectFaults, type Faults } from './faults.ts';
import { decideFormat, type PageBody, readPageBody, suggestedTitle } from './page-body.ts';
import { parseText, pick } from './parameters.ts';
import { idempotencyKeyOf, makeReceipt, ownerTokenFor } from './receipt.ts';
import { storeBlob } from './store-blob.ts';

/**
 * From a request to what `content` needs to create a page: checks everything before a byte is stored. Of parameters
 * in the query and those in the JSON body the query wins (shapes.md, Conventions).
 */
export async function readPageCreate(
  deps: GatewayDependencies,
  exchange: Exchange,
): Promise<{ input: InputOf<typeof createPage>; ownerToken: string }> {
  const groupingToken = groupingTokenOf(exchange);
  const idempotencyKey = idempotencyKeyOf(exchange);
  // Faults of the address and the headers are told before a large body is read.
  checkEarly(exchange);
  const body = await readPageBody(exchange, deps.budget);
  const faults = collectFaults();
  const { password, ...parameters } = parseCreateParameters(sourceOf(exchange, body.fields), faults);
  const kind = decideFormat(body, exchange.query(), faults);
  const texts = parsePageTexts(exchange, body, faults);
  faults.throwIfAny();

  const ownerToken = groupingToken ?? newTokenFor(deps, idempotencyKey);
  const ownerHash = hashOwnerToken(ownerToken);
  const [blob, passwordHash] = await Promise.all([
    storeBlob(deps.blobs, deps.blobKeys, body.bytes),
    password === null ? null : hashPassword(password),
  ]);
  const request = [parameters.namespace, parameters.id ?? '', kind.format, blob.sha256];
  const receipt = makeReceipt(exchange, idempotencyKey, ownerHash, request);
  return {
    ownerToken,
    input: {
      ...{ ...parameters, ...kind, ...texts, ownerHash, passwordHash, blob, receipt },
      ownerKnown: groupingToken !== null,
      suggestedTitle: suggestedTitle(kind.format, body.text),
    },
  };
}

const sourceOf = (exchange: Exchange, body: Record<string, unknown>) => ({
  headers: exchange.request.headers,
  query: exchange.query(),
  body,
});

function checkEarly(exchange: Exchange): void {
  const faults = collectFaults();
  parseCreateParameters(sourceOf(exchange, {}), faults);
  faults.throwIfAny();
}

function parsePageTexts(exchange: Exchange, { fields }: PageBody, faults: Faults) {
  const query = exchange.query();
  const title = parseText(pick(query, fields, ['title']), 'title', LIMITS.titleCharacters, faults);
  const filename = parseText(
    pick(query, fields, ['filename']),
    'filename',
    LIMITS.filenameCharacters,
    faults,
  );
  if (filename !== null && /[/\\]/.test(filename)) {
    faults.add('VALIDATION_FAILED', 'filename', 'is a bare name, without / or \\.');
  }
  return {
    title,
    filename,
    showTopBar: parseFlag(pick(query, fields, ['showTopBar']), 'showTopBar', faults),
  };
}

function parseFlag(value: unknown, field: string, faults: Faults): boolean | null {
  if (value === null) return null;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  faults.add('VALIDATION_FAILED', field, 'must be true or false.');
  return null;
}

const newTokenFor = ({ config }: GatewayDependencies, idempotencyKey: string | null): string =>
  idempotencyKey === null ? newOwnerToken() : ownerTokenFor(idempotencyKey, config.cookieSecret);
