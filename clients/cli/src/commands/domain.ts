import type { Perch } from 'perch-client';
import { findItem, refusePart } from '../address.ts';
import { withTexts } from '../answers.ts';
import type { Command } from '../call.ts';

const USAGE = 'domain ADDRESS [NAME]';

type Domain = Awaited<ReturnType<Perch['domain']>>;

export const DOMAIN: Command = {
  name: 'domain',
  usage: USAGE,
  takesPaths: true,
  summary: 'show the domain of an item, or serve it at a domain of your own',
  options: [{ name: 'remove', help: 'take the domain away from the item' }],
  async run(call) {
    call.expect(1, call.has('remove') ? 1 : 2, `${USAGE} | domain ADDRESS --remove`);
    const [address = '', name] = call.args;
    const { perch, ownerToken } = await call.owner(address);
    const found = await findItem(call, perch, address, ownerToken);
    refusePart(found, address, 'has one domain as a whole');
    const { item, url } = found;
    if (call.has('remove')) {
      await perch.removeDomain(item, { ownerToken });
      return call.output.note(`${url} has no domain any more`);
    }
    const domain = await (name === undefined
      ? perch.domain(item, { ownerToken })
      : perch.setDomain(item, name, { ownerToken }));
    withTexts(domain, 'domain', 'state');
    call.output.result(linesOf(domain), domain);
    call.output.note(adviceFor(domain));
  },
};

/** The domain and its state, and the record to set. */
const linesOf = ({ domain, state, record }: Domain): string =>
  `${domain}  ${state}\n${record.type}  ${record.name}  ${record.value}`;

function adviceFor({ domain, state, finding, url, record, target, removedAt }: Domain): string {
  if (finding === 'failure') return 'No name server gave an answer to rely on. Try again later.';
  if (finding === 'held')
    return `Another item has ${domain}, and its TXT record is still there. Remove that record, then give the name again.`;
  if (state === 'verified')
    return `The TXT record is there. ${domain} has none of the addresses of ${target} yet.`;
  if (state === 'lost')
    return `The TXT record has gone. Set it again before ${removedAt ?? 'the domain is taken away'}.`;
  if (state === 'active') return `Served at ${url} for as long as the TXT record is there.`;
  return finding === null
    ? `Set the TXT record ${record.name}, and point ${domain} to ${target}: by CNAME, or by its addresses. Then give the name again.`
    : 'The TXT record was not found. Name servers may take a while to have it; then give the name again.';
}
