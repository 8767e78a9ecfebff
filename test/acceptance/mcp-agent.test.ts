import { expect, test } from 'bun:test';
import { connectAgent, ERAS, type Made, named, owned } from './support/mcp-client.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

for (const mode of ERAS) {
  test(`an agent publishes, reads, changes and deletes a page (${JSON.stringify(mode)})`, async () => {
    const agent = await connectAgent(perch.url, { mode });
    const made = await agent.call<Made>('publish_html', { content: '<h1>Launch</h1>', title: 'Launch' });
    expect(made.namespace).not.toBe('public');
    expect(made.readableBy).toContain('Whoever has the address');
    const shown = await perch.request(`/${made.namespace}/${made.id}`);
    expect(await shown.text()).toContain('<h1>Launch</h1>');

    await agent.call('update_html', { ...owned(made), content: '<h1>Launched</h1>' });
    const read = await agent.call('get_page', named(made));
    expect(read).toMatchObject({ content: '<h1>Launched</h1>', isWhole: true, characters: 17 });
    await agent.call('delete_resource', owned(made));
    expect(await agent.fail('get_page', named(made))).toMatchObject({ code: 'NOT_FOUND' });
    await agent.client.close();
  });
}
