import { setDefaultTimeout } from 'bun:test';
import pino from 'pino';
import { createInProcessBus } from '../../../shared/adapters/bus/in-process.ts';
import { createNatsBus } from '../../../shared/adapters/bus/nats.ts';
import { useServers } from '../../servers.ts';
import { type BusSubject, busContract } from './contract.ts';
import { busGatherContract } from './gather-contract.ts';

setDefaultTimeout(60_000);
const EIGHT_MB = 8_388_608;
const log = pino({ level: 'silent' });
const setting = useServers('NATS_URL');

const inOneProcess: BusSubject = {
  async open() {
    const bus = createInProcessBus({ maxPayloadBytes: EIGHT_MB });
    return { requester: bus, members: [bus, bus], close: () => bus.close() };
  },
};

const overNats: BusSubject = {
  async open() {
    const connect = (name: string) =>
      createNatsBus({ url: setting('NATS_URL'), name, minPayloadBytes: EIGHT_MB, log });
    const [requester, first, second] = await Promise.all(['requester', 'first', 'second'].map(connect));
    if (!requester || !first || !second) throw new Error('three buses were asked for');
    return {
      requester,
      members: [first, second],
      async close() {
        await Promise.all([requester.close(), first.close(), second.close()]);
      },
    };
  },
};

for (const [name, subject] of [
  ['in one process', inOneProcess],
  ['NATS', overNats],
] as const) {
  busContract(name, subject);
  busGatherContract(name, subject);
}
