import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandPath, ensureCommands } from '../../../infra/servers/debian.ts';
import { SENT } from './post.ts';

const ENVIRONMENT = { PATH: '/usr/bin:/bin' };

/** Posts from a process of its own: Bun reads proxies and authorities from its environment. */
async function postFrom(env: Record<string, string>, url: string): Promise<string> {
  const command = [process.execPath, join(import.meta.dirname, 'post.ts'), url];
  const posting = Bun.spawn(command, { env: { ...ENVIRONMENT, ...env }, stdout: 'pipe', stderr: 'inherit' });
  const [said] = await Promise.all([posting.stdout.text(), posting.exited]);
  return said;
}

let folder: string;

beforeAll(async () => {
  await ensureCommands(['openssl']);
  folder = await mkdtemp(join(tmpdir(), 'perch-certificates-'));
}, 300_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

/** A certificate for one name that it has signed itself. */
async function certificateOf(name: string): Promise<{ cert: string; key: string }> {
  const [certFile, keyFile] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  const wanted = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`, '-days', '2'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile];
  await Bun.$`${commandPath('openssl')} req -x509 ${key} -out ${certFile} ${wanted}`.quiet();
  return { cert: await Bun.file(certFile).text(), key: await Bun.file(keyFile).text() };
}

/** A receiver that counts what it is sent. */
function startReceiver(tls?: { cert: string; key: string }) {
  const hosts: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    ...(tls === undefined ? {} : { tls }),
    fetch(request): Response {
      hosts.push(request.headers.get('host') ?? '');
      return new Response(null, { status: 204 });
    },
  });
  return { server, hosts };
}

describe('a receiver by https', () => {
  test('is sent to when its certificate is good for its name, and refused with one of another name or of nobody known', async () => {
    const [right, wrong] = await Promise.all(['hook.example', 'other.example'].map(certificateOf));
    if (right === undefined || wrong === undefined) throw new Error('there is no certificate');
    const known = join(folder, 'known.pem');
    await Bun.write(known, right.cert + wrong.cert);
    const [named, misnamed] = [startReceiver(right), startReceiver(wrong)];
    try {
      const urlOf = ({ server }: typeof named) => `https://hook.example:${server.port}/`;
      const trusting = { NODE_EXTRA_CA_CERTS: known };
      expect(await postFrom(trusting, urlOf(named))).toBe(SENT);
      expect(named.hosts).toEqual([`hook.example:${named.server.port}`]);
      expect(await postFrom(trusting, urlOf(misnamed))).toMatch(/altname|certificate|hostname/i);
      expect(await postFrom({}, urlOf(named))).toMatch(/self.signed|certificate|verify/i);
      expect([named.hosts.length, misnamed.hosts.length]).toEqual([1, 0]);
    } finally {
      await Promise.all([named, misnamed].map(({ server }) => server.stop(true)));
    }
  }, 60_000);
});

describe('a proxy in the environment', () => {
  test.each(['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy'])(
    'by the name %s is not asked to connect anywhere',
    async (name) => {
      let asked = 0;
      using proxy = Bun.listen({
        port: 0,
        hostname: '127.0.0.1',
        socket: {
          open(socket) {
            asked += 1;
            socket.end('HTTP/1.1 204 No Content\r\n\r\n');
          },
          data: () => undefined,
        },
      });
      const isTls = name.toLowerCase().startsWith('https');
      const tls = isTls ? await certificateOf('hook.example') : undefined;
      const receiver = startReceiver(tls);
      const env = {
        [name]: `http://127.0.0.1:${proxy.port}`,
        NODE_EXTRA_CA_CERTS: join(folder, 'hook.example.pem'),
      };
      try {
        const url = `${isTls ? 'https' : 'http'}://hook.example:${receiver.server.port}/`;
        expect(await postFrom(env, url)).toBe(SENT);
        expect([asked, receiver.hosts.length]).toEqual([0, 1]);
      } finally {
        await receiver.server.stop(true);
      }
    },
    60_000,
  );
});
