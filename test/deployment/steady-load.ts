/** Outcomes of the requests so far. */
export interface Tally {
  answered: number;
  /** Each request that was not answered as it should be, in words. */
  failed: string[];
  /** Writes that the proxy refused, to be sent again: 503 with Retry-After. */
  refused: number;
  /** Addresses of pages whose creation was acknowledged. */
  created: string[];
}

export interface SteadyLoad {
  tally: Tally;
  /** Resolves after so many more requests. */
  more(count: number): Promise<void>;
  /** Ends it, when those under way are answered. */
  stop(): Promise<void>;
}

const HEADERS = { 'User-Agent': 'load/1' };

/**
 * Clients that publish pages, set a key, upload documents and read, one request after the other each, through `url`.
 * Every request has to succeed, but for writes that may be sent again.
 */
export async function startLoad(url: string, clients: number): Promise<SteadyLoad> {
  const tally: Tally = { answered: 0, failed: [], refused: 0, created: [] };
  const store = await json(await send(`${url}/api/kv`, 'POST', JSON.stringify({ key: 'k', value: 0 })));
  let isOver = false;

  const steps: Array<(n: number) => Promise<Response>> = [
    (n) => send(`${url}/api/html`, 'POST', `<h1>${n}</h1>`, 'text/html'),
    () => send(`${url}${tally.created.at(-1) ?? '/healthz'}`, 'GET'),
    (n) =>
      send(
        `${url}/api/kv/${store.namespace}/${store.id}/k`,
        'PUT',
        JSON.stringify({ value: n }),
        undefined,
        store.ownerToken,
      ),
    () => send(`${url}/${store.namespace}/${store.id}/k`, 'GET'),
    (n) => send(`${url}/api/json`, 'POST', JSON.stringify({ n, filler: 'x'.repeat(100_000) })),
  ];
  const isWrite = (n: number): boolean => n % steps.length !== 1 && n % steps.length !== 3;
  const run = async (client: number): Promise<void> => {
    for (let n = client; !isOver; n++) {
      const step = steps[n % steps.length];
      if (step === undefined) continue;
      try {
        const answer = await step(n);
        if (isWrite(n) && isRefusal(answer)) tally.refused += 1;
        else if (!answer.ok) tally.failed.push(`${answer.url}: ${answer.status} ${await answer.text()}`);
        else if (answer.status === 201) tally.created.push(pathOf(await json(answer)));
        else await answer.arrayBuffer();
      } catch (error) {
        tally.failed.push(String(error));
      }
      tally.answered += 1;
    }
  };
  const running = Array.from({ length: clients }, (_, client) => run(client));
  return {
    tally,
    async more(count) {
      const goal = tally.answered + count;
      while (tally.answered < goal) await Bun.sleep(5);
    },
    async stop() {
      isOver = true;
      await Promise.all(running);
    },
  };
}

const isRefusal = ({ status, headers }: Response): boolean => status === 503 && headers.has('retry-after');

type Created = { namespace: string; id: string; ownerToken: string };

const json = (answer: Response): Promise<Created> => answer.json() as Promise<Created>;
const pathOf = ({ namespace, id }: Created): string => `/${namespace}/${id}`;

function send(
  url: string,
  method: string,
  body?: string,
  type = 'application/json',
  token?: string,
): Promise<Response> {
  const headers = {
    ...HEADERS,
    'Content-Type': type,
    ...(token === undefined ? {} : { 'X-Owner-Token': token }),
  };
  return fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
}
