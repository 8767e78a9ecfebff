import type { Client } from '../../infra/load/client.ts';
import { AGENT, type Call, type Seen } from '../../infra/load/send.ts';
import { startTraffic, type Traffic } from '../../infra/load/traffic.ts';
import { messageOf } from '../../shared/message-of.ts';
import { createKeepAliveClient, type KeepAliveClient } from './keep-alive-client.ts';

/** A mixed load of every kind, during which nothing may fail. */
export interface MemberLoad {
  connections: KeepAliveClient;
  client: Client;
  traffic: Traffic;
  /** Ends it, with every request answered. */
  stop(): Promise<void>;
  /** Requests so far. */
  sent(): number;
  /** Requests that were refused, broken off, or not answered as acknowledged. */
  faults: string[];
}

/** Between two rounds of what `analytics` and the lists of `content` answer, in ms. */
const PAUSE_MS = 20;

export async function startMemberLoad(
  gateways: string[],
  name: string,
  adminPassword: string,
): Promise<MemberLoad> {
  const connections = createKeepAliveClient(gateways);
  const faults: string[] = [];
  let sent = 0;
  const seenOf = async (call: Call, gateway: number): Promise<Seen> => {
    const { method, path, headers, body } = call;
    const request = new Request(`${gateways[gateway]}${path}`, {
      method,
      headers: { ...AGENT, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    try {
      const { status, headers: answered, text } = await connections.send(request, gateway);
      return { answered: true, status, retryAfter: answered.get('retry-after'), headers: answered, text };
    } catch (error) {
      return { answered: false, reason: messageOf(error) };
    }
  };
  const client: Client = {
    gateways,
    tally: { answered: 0, refused: 0, unanswered: 0, worstMs: 0, worst: '', requests: [] },
    async send(call, gateway) {
      sent += 1;
      const seen = await seenOf(call, gateway);
      const what = `${call.method} ${call.path}`;
      if (!seen.answered) faults.push(`${what}: ${seen.reason}`);
      else if (seen.status >= 500) faults.push(`${what}: ${seen.status} ${seen.text.slice(0, 200)}`);
      return seen;
    },
  };

  const traffic = await startTraffic({
    client,
    name,
    seed: 1,
    isCalm: () => true,
    note: (kind, text) => void faults.push(`${kind}: ${text}`),
  });
  let stopped = false;
  const asking = (async () => {
    for (let round = 0; !stopped; round++) {
      for (const call of callsToAnalytics(name, round, adminPassword)) {
        const seen = await client.send(call, round % gateways.length);
        if (seen.answered && seen.status >= 300) faults.push(`${call.template}: ${seen.status}`);
      }
      await Bun.sleep(PAUSE_MS);
    }
  })();
  return {
    connections,
    client,
    traffic,
    faults,
    sent: () => sent,
    async stop() {
      stopped = true;
      await Promise.all([traffic.stop(), asking]);
    },
  };
}

function callsToAnalytics(name: string, round: number, adminPassword: string): Call[] {
  const description = `A report of the load ${name}, number ${round}.`;
  const body = JSON.stringify({ reportedUrl: 'https://perch.example/a', category: 'spam', description });
  const get = (path: string, headers: Record<string, string> = {}): Call => {
    const [template = ''] = path.split('?');
    return { method: 'GET', template, path, headers };
  };
  return [
    {
      method: 'POST',
      template: '/api/reports',
      path: '/api/reports',
      body,
      headers: { 'Content-Type': 'application/json' },
    },
    get('/api/stats'),
    get('/api/gallery?size=5'),
    get('/api/admin/access?limit=5', { 'X-Admin-Password': adminPassword }),
  ];
}
