import { describe, expect, test } from 'bun:test';
import { type Address, ownedBy, type RequestOptions, raw, shortPath } from './support/client.ts';
import { fresh } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { usePerch } from './support/perch.ts';
import { rawRequest } from './support/socket.ts';

const perch = usePerch({ gateways: 2, env: { TRUST_PROXY: '1' } });

const withPassword = (password: string): RequestOptions => ({ headers: { 'X-Password': password } });
const protectedPage = (password = 'right') => perch.publish('<p>secret', withPassword(password));

/** A read from a client address of its own. */
const readFrom = (ip: string, page: Address, password: string, client = perch.last) =>
  client.read(page, { headers: { 'X-Password': password, 'X-Forwarded-For': ip } });

describe('a password', () => {
  const ways: Array<[name: string, options: RequestOptions]> = [
    ['in the header', raw('<p>secret', 'text/html', withPassword('open sesame'))],
    ['in the query', raw('<p>secret', 'text/html', { query: { p: 'open sesame' } })],
    ['in the JSON body', { json: { content: '<p>secret', password: 'open sesame' } }],
  ];
  for (const [name, options] of ways) {
    test(`given ${name} protects the page`, async () => {
      const page = await perch.publish(options);
      expect(page.hasPassword).toBe(true);
      for (const read of [perch.read, perch.api]) {
        await expectError(await read(page), 403, 'PASSWORD_REQUIRED');
        await expectError(await read(page, { query: { p: 'wrong' } }), 403, 'PASSWORD_WRONG');
        await expectError(await read(page, withPassword('wrong')), 403, 'PASSWORD_WRONG');
        const opened = [{ query: { p: 'open sesame' } }, withPassword('open sesame'), ownedBy(page)];
        for (const open of opened) expect(await (await read(page, open)).text()).toBe('<p>secret');
        const byToken = await read(page, { query: { token: page.ownerToken } });
        expect(await byToken.text()).toBe('<p>secret');
      }
    });
  }

  test('that is empty is none', async () => {
    for (const options of [withPassword(''), { query: { p: '' } }]) {
      const page = await perch.publish('<p>open', options);
      expect(page.hasPassword).toBe(false);
      expect((await perch.read(page)).status).toBe(200);
    }
  });

  test('that is blank is not taken for none', async () => {
    const blanks = [{ p: ' ' }, { p: '\t' }, { password: '\u00a0' }, { p: '', password: '  ' }];
    for (const query of blanks)
      await expectError(
        await perch.post(raw('<p>x', 'text/html', { query })),
        400,
        'VALIDATION_FAILED',
        'password',
      );
    const create = await perch.post({ json: { content: '<p>x', password: ' ' } });
    await expectError(create, 400, 'VALIDATION_FAILED', 'password');
  });

  const faults: Array<[what: string, passwords: unknown[], said: string]> = [
    ['begins or ends with white space', [' x', 'x ', '\u3000x', 'x\ufeff', 'x\u2028'], 'white space'],
    ['has control characters', ['x\ty', 'x\n', '\u0000', 'x\u007f', '\u0085x'], 'control characters'],
    ['has half a surrogate pair', ['x\ud83d', '\udc26x'], 'half a surrogate pair'],
    ['is no text', [123456, 0, true, false, ['x'], {}], 'must be text'],
  ];
  test.each(faults)('that %s is refused with that reason', async (_, passwords, said) => {
    for (const password of passwords) {
      const body = await perch.post({ json: { content: '<p>x', password } });
      expect((await expectError(body, 400, 'VALIDATION_FAILED', 'password')).message).toContain(said);
      if (typeof password !== 'string' || !password.isWellFormed()) continue;
      const query = await perch.post(raw('<p>x', 'text/html', { query: { p: password } }));
      expect((await expectError(query, 400, 'VALIDATION_FAILED', 'password')).message).toContain(said);
    }
  });

  test('may have white space within, and be missing from a body', async () => {
    for (const password of ['a b', 'a\u00a0b', '👩‍🚀'])
      expect((await perch.publish({ json: { content: '<p>secret', password } })).hasPassword).toBe(true);
    for (const password of ['', null])
      expect((await perch.publish({ json: { content: '<p>open', password } })).hasPassword).toBe(false);
  });

  test('has 1 to 200 characters', async () => {
    for (const p of ['x', 'x'.repeat(200), '🐦'.repeat(200)]) {
      const page = await perch.publish('<p>secret', { query: { p } });
      expect((await perch.read(page, { query: { p } })).status).toBe(200);
      await expectError(await perch.read(page, { query: { p: `${p}y` } }), 403, 'PASSWORD_WRONG');
    }
    for (const length of [201, 10_000]) {
      const password = 'x'.repeat(length);
      const creates = [
        raw('<p>x', 'text/html', withPassword(password)),
        raw('<p>x', 'text/html', { query: { p: password } }),
        { json: { content: '<p>x', password } },
      ];
      for (const create of creates)
        await expectError(await perch.post(create), 400, 'VALIDATION_FAILED', 'password');
    }
  });

  test('of 10,000 characters is a wrong one', async () => {
    const page = await protectedPage('x'.repeat(200));
    for (const read of [withPassword('x'.repeat(10_000)), { query: { p: 'x'.repeat(10_000) } }])
      await expectError(await perch.read(page, read), 403, 'PASSWORD_WRONG');
  });

  test('of any script opens the page it was set for', async () => {
    const page = await perch.publish({ json: { content: '<p>secret', password: 'pässwörd 密码 +&%' } });
    expect((await perch.read(page, { query: { p: 'pässwörd 密码 +&%' } })).status).toBe(200);
    expect((await perch.read(page, { query: { p: 'pässwörd' } })).status).toBe(403);
    const header = ['User-Agent: PerchAcceptance/1.0', 'X-Password: pässwörd 密码 +&%'];
    const opened = await rawRequest(perch.url, `GET ${shortPath(page)}`, header);
    expect([opened.status, opened.body]).toEqual([200, '<p>secret']);

    const address = { namespace: 'public', id: 'by-header' };
    const create = await rawRequest(perch.url, 'POST /api/html?id=by-header&format=text', [
      ...[...header, 'Content-Type: application/json', 'Content-Length: 15', '', '{"content":"x"}'],
    ]);
    expect(create.status).toBe(201);
    expect((await perch.read(address, { query: { p: 'pässwörd 密码 +&%' } })).status).toBe(200);
  });

  test('in the query counts where the header is blank, and so does an owner token', async () => {
    const page = await protectedPage();
    const blank = { headers: { 'X-Password': '', 'X-Owner-Token': '' } };
    expect((await perch.read(page, { ...blank, query: { p: 'right' } })).status).toBe(200);
    expect((await perch.read(page, { ...blank, query: { token: page.ownerToken } })).status).toBe(200);
    await expectError(await perch.read(page, blank), 403, 'PASSWORD_REQUIRED');
  });

  test('of another page does not open this one, nor does its owner token', async () => {
    const [page, other] = [await protectedPage('one'), await protectedPage('two')];
    await expectError(await perch.read(page, withPassword('two')), 403, 'PASSWORD_WRONG');
    await expectError(await perch.read(page, ownedBy(other)), 403, 'PASSWORD_REQUIRED');
  });

  test('is not needed by owners to change the page', async () => {
    const page = await protectedPage();
    const update = { method: 'PUT', ...raw('<p>new', 'text/html', ownedBy(page)) };
    expect((await perch.api(page, update)).status).toBe(200);
    expect(await (await perch.read(page, withPassword('right'))).text()).toBe('<p>new');
    await expectError(await perch.read(page), 403, 'PASSWORD_REQUIRED');
  });

  test('keeps pages out of shared caches and search engines', async () => {
    const { headers } = await perch.read(await protectedPage(), withPassword('right'));
    expect(headers.get('Cache-Control')).toBe('private, no-store');
    expect(headers.get('X-Robots-Tag')).toContain('noindex');
  });

  test('is asked of a browser with a form', async () => {
    const page = await protectedPage();
    const response = await perch.read(page, { headers: { Accept: 'text/html,*/*;q=0.8' } });
    expect(response.status).toBe(403);
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    const form = await response.text();
    expect(form).toContain('type="password"');
    const action = /<form[^>]* action="([^"]+)"/.exec(form)?.[1] ?? '';
    const unlock = (password: string) =>
      perch.request(action, {
        method: 'POST',
        ...raw(new URLSearchParams({ password }).toString(), 'application/x-www-form-urlencoded'),
      });
    expect((await unlock('wrong')).status).toBe(403);
    const opened = await unlock('right');
    expect(opened.status).toBe(303);
    const [cookie = '', ...attributes] = (opened.headers.get('Set-Cookie') ?? '').split('; ');
    expect(attributes).toContain('HttpOnly');
    expect(attributes).toContain('SameSite=Lax');
    expect(attributes).toContain(`Path=/public/${page.id}`);
    const view = await perch.last.read(page, { headers: { Cookie: cookie } });
    expect(await view.text()).toBe('<p>secret');
    const other = await protectedPage();
    await expectError(await perch.read(other, { headers: { Cookie: cookie } }), 403, 'PASSWORD_REQUIRED');
  });
});

describe('the form for a password', () => {
  const asAPerson = { headers: { Accept: 'text/html,*/*;q=0.8' } };
  const actionOf = (page: string): string =>
    (/<form[^>]* action="([^"]+)"/.exec(page)?.[1] ?? '').replaceAll('&amp;', '&');
  const send = (action: string, password: string, to: string) =>
    perch.request(action, {
      method: 'POST',
      ...raw(
        new URLSearchParams({ password, to }).toString(),
        'application/x-www-form-urlencoded',
        asAPerson,
      ),
    });

  test('opens items in a namespace whose name begins like the address of the API', async () => {
    for (const ns of ['apis', 'api-notes']) {
      const page = await perch.publish('<p>secret', { query: { ns }, ...withPassword('right') });
      const action = actionOf(await (await perch.read(page, asAPerson)).text());
      expect(action).toBe(`/api/${ns}/${page.id}/unlock`);
      const opened = await send(action, 'right', '');
      expect([opened.status, opened.headers.get('Location')]).toEqual([303, shortPath(page)]);
    }
  });

  /** Follows the way back to the form, with the cookie that was set. */
  const follow = async (answer: Response, location: string): Promise<Response> => {
    expect([answer.status, answer.headers.get('Location')]).toEqual([303, location]);
    const [cookie = ''] = (answer.headers.get('Set-Cookie') ?? '').split(';', 1);
    return await perch.request(location, { headers: { ...asAPerson.headers, Cookie: cookie } });
  };

  test('leads where the person wanted to go also after a wrong password, which is said there', async () => {
    const page = await protectedPage();
    const location = `${shortPath(page)}/chapter/3%20b.html`;
    const asked = await (await perch.request(location, asAPerson)).text();
    const again = await follow(await send(actionOf(asked), 'wrong', 'chapter/3%20b.html'), location);
    expect(again.status).toBe(403);
    const form = await again.text();
    expect(form).toContain('That password is not right.');
    expect(asked).not.toContain('That password is not right.');
    const to = /name="to" value="([^"]*)"/.exec(form)?.[1] ?? '';
    expect(to).toBe('chapter/3%20b.html');
    const opened = await send(actionOf(form), 'right', to);
    expect(opened.headers.get('Location')).toBe(`${shortPath(page)}/chapter/3%20b.html`);
  });

  const destinationOf = (form: string): string =>
    (/name="to" value="([^"]*)"/.exec(form)?.[1] ?? '').replaceAll('&amp;', '&');

  test('leads on with the query, but for what opens the item', async () => {
    const page = await protectedPage();
    const asked = `${shortPath(page)}?room=5&p=wrong&ticket=x&%74oken=${'x'.repeat(20)}&q=a%26b`;
    const first = await (await perch.request(asked, asAPerson)).text();
    expect(destinationOf(first)).toBe('?room=5&q=a%26b');
    const wrong = await send(actionOf(first), 'wrong', destinationOf(first));
    const again = await (await follow(wrong, `${shortPath(page)}?room=5&q=a%26b`)).text();
    expect(destinationOf(again)).toBe('?room=5&q=a%26b');
    const opened = await send(actionOf(again), 'right', destinationOf(again));
    expect(opened.headers.get('Location')).toBe(`${shortPath(page)}?room=5&q=a%26b`);
  });

  test('leads nowhere else, whatever is sent to it', async () => {
    const page = await protectedPage();
    const action = `/api${shortPath(page)}/unlock`;
    for (const to of ['../other', '%2e%2e/other', 'a\\b', 'a\r\nb', '..#', '..?x']) {
      const opened = await send(action, 'right', to);
      expect([to, opened.headers.get('Location')]).toEqual([to, shortPath(page)]);
      const again = await send(`${action}?to=${encodeURIComponent(to)}`, 'wrong', to);
      expect([to, again.status, again.headers.get('Location')]).toEqual([to, 303, shortPath(page)]);
    }
    for (const to of ['//evil.example', 'https://evil.example', '?https://evil.example']) {
      const location = (await send(action, 'right', to)).headers.get('Location') ?? '';
      expect(location).toStartWith(shortPath(page));
      expect(new URL(location, perch.url).origin).toBe(perch.url);
    }
    const secrets = await send(action, 'right', '?p=wrong&token=x');
    expect(secrets.headers.get('Location')).toBe(shortPath(page));
  });

  test('leads on to what a link of the top bar is for', async () => {
    const page = await perch.publish('<p>secret', { query: { showTopBar: true }, ...withPassword('right') });
    const view = await (await perch.read(page, { query: { p: 'right' } })).text();
    for (const [label, disposition] of [
      ['Download', 'attachment'],
      ['Raw', null],
    ] as const) {
      const link = new RegExp(`href="([^"]+)">${label}<`).exec(view)?.[1] ?? '';
      const form = await (await perch.request(link, asAPerson)).text();
      const opened = await send(actionOf(form), 'right', destinationOf(form));
      expect(opened.headers.get('Location')).toBe(link);
      const cookie = (opened.headers.get('Set-Cookie') ?? '').split(';', 1)[0] ?? '';
      const shown = await perch.request(link, { headers: { ...asAPerson.headers, Cookie: cookie } });
      expect(await shown.text()).toBe('<p>secret');
      expect(shown.headers.get('Content-Disposition')?.split(';', 1)[0] ?? null).toBe(disposition);
    }
  });
});

describe('ten wrong tries', () => {
  test('do not lock out who knew the password before', async () => {
    const page = await protectedPage();
    for (let n = 1; n <= 9; n++) await readFrom('10.2.0.1', page, `guess ${n}`);
    for (let n = 1; n <= 5; n++) expect((await readFrom('10.2.0.1', page, 'right')).status).toBe(200);
    await expectError(await readFrom('10.2.0.1', page, 'guess 10'), 403, 'PASSWORD_WRONG');
    await expectError(await readFrom('10.2.0.1', page, 'right'), 429, 'RATE_LIMITED');
  });

  test('do not count reads without a password', async () => {
    const page = await protectedPage(fresh('right'));
    for (let n = 1; n <= 12; n++)
      await expectError(
        await perch.read(page, { headers: { 'X-Forwarded-For': '10.4.0.1' } }),
        403,
        'PASSWORD_REQUIRED',
      );
  });
});
