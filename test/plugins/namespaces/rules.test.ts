import { expect } from 'chai';
import { MAX_OWNERS_IN_ALL, MAX_RULES } from '../../../plugins/namespaces/namespace-service.ts';
import { Namespaces } from '../../../plugins/namespaces/namespaces-api.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { CAST, type NamespacesNode, OWNED, outcome, PATTERN, REFUSED, startNamespacesNode } from './namespaces-node.ts';

const ROUTE = '/v1/namespaces';

forEachStore('rules that reserve a namespace for owners', () => {
  let node: NamespacesNode;
  afterEach(() => node.stop());

  const listed = async (query = '') => (await node.must(200, 'operator', 'GET', `${ROUTE}${query}`)).body;
  const remove = (pattern: string) => node.ask('operator', 'DELETE', `${ROUTE}?pattern=${encodeURIComponent(pattern)}`);
  const audited = async (): Promise<readonly Record<string, unknown>[]> => {
    const { entries } = (await node.must(200, 'operator', 'GET', '/v1/auth/audit?event_type=admin_action')).body;
    const details: readonly Record<string, unknown>[] = entries.map(({ detail }: { detail: unknown }) => detail);
    return details.filter(({ action }) => String(action).startsWith('namespace'));
  };

  it('are set, listed and removed by administrators, and each change is audited', async () => {
    node = await startNamespacesNode();
    const rule = await node.give(PATTERN, [CAST.owner, ' Agent:Owner ', 'agent:y']);
    expect(rule).to.deep.equal({
      pattern: PATTERN,
      owners: [' Agent:Owner '.trim(), 'agent:y'],
      set_by: CAST.operator,
      set_at: rule.set_at,
    });
    expect(await listed()).to.deep.equal({ enforced: true, namespaces: [rule], total: 1, cursor: null });
    await node.clock.advance(1_000);
    const again = await node.give(PATTERN, ['agent:y', CAST.owner]);
    expect(again, 'what is so already changes nothing').to.deep.equal(rule);
    await node.give(PATTERN, ['agent:z']);
    expect((await listed()).namespaces).to.have.lengthOf(1);
    expect(outcome(await remove(PATTERN))).to.deep.equal([204]);
    expect(outcome(await remove(PATTERN))).to.deep.equal([404, 'lookup']);
    expect((await listed()).total).to.equal(0);
    const actions = (await audited()).map(({ action, pattern, owners }) => [action, pattern, owners]).reverse();
    expect(actions).to.deep.include.members([
      ['namespace_set', PATTERN, ['Agent:Owner', 'agent:y']],
      ['namespace_set', PATTERN, ['agent:z']],
      ['namespace_remove', PATTERN, undefined],
    ]);
    expect(actions).to.have.lengthOf(3);
  });

  it('are equal in all spellings: a second spelling is refused with 409, which names the first', async () => {
    node = await startNamespacesNode();
    const pattern = 'project:caf\u00e9/*';
    await node.give(pattern);
    for (const spelling of ['project:cafe\u0301/*', 'PROJECT:CAF\u00c9/*']) {
      const refused = await node.must(409, 'operator', 'PUT', ROUTE, { pattern: spelling, owners: ['agent:z'] });
      expect([refused.body.code, refused.body.detail.includes(pattern)]).to.deep.equal(['conflict', true]);
    }
    expect((await listed()).namespaces.map((rule: { owners: string[] }) => rule.owners)).to.deep.equal([[CAST.owner]]);
    expect(outcome(await remove('project:cafe\u0301/*'))).to.deep.equal([204]);
  });

  it('can be changed by administrators only, over HTTP and by other plugins', async () => {
    node = await startNamespacesNode();
    const body = { pattern: PATTERN, owners: [CAST.stranger] };
    for (const actor of ['owner', 'stranger'] as const) {
      expect(outcome(await node.ask(actor, 'GET', ROUTE))).to.deep.equal([403, 'authorization']);
      expect(outcome(await node.ask(actor, 'PUT', ROUTE, { body }))).to.deep.equal([403, 'authorization']);
      const path = `${ROUTE}?pattern=${encodeURIComponent(PATTERN)}`;
      expect(outcome(await node.ask(actor, 'DELETE', path))).to.deep.equal([403, 'authorization']);
    }
    const service = node.kernel.get(Namespaces);
    const writer = createPrincipal({ permissions: new Set(['read', 'write']) });
    for (const call of [
      service.list(writer, { limit: 1 }),
      service.set(writer, body),
      service.remove(writer, PATTERN),
    ]) {
      expect(await rejection(call)).to.include({ code: 'authorization' });
    }
  });

  it('take effect with the reply, until they are removed', async () => {
    node = await startNamespacesNode();
    expect(outcome(await node.say('stranger'))).to.deep.equal([201]);
    await node.give(PATTERN);
    const another = { value: { type: 'string', v: 'closed' } };
    expect(outcome(await node.say('stranger', another))).to.deep.equal(REFUSED);
    await node.give(PATTERN, [CAST.stranger]);
    expect(outcome(await node.say('stranger', another))).to.deep.equal([201]);
    expect(outcome(await node.say('owner', another))).to.deep.equal(REFUSED);
    await remove(PATTERN);
    expect(outcome(await node.say('owner', another))).to.deep.equal([201]);
  });

  it('assign an entity to the owners of the longest matching pattern', async () => {
    node = await startNamespacesNode();
    await node.give('svc://localhost:8765/*', [CAST.operator]);
    await node.give(PATTERN, [CAST.owner]);
    await node.give(OWNED, [CAST.stranger]);
    const writers = async (entity: string) => {
      const may: string[] = [];
      for (const actor of ['owner', 'stranger', 'operator'] as const) {
        const { status } = await node.say(actor, { entity, value: { type: 'string', v: actor } });
        if (status === 201) may.push(actor);
      }
      return may;
    };
    expect(await writers(OWNED)).to.deep.equal(['stranger']);
    expect(await writers(`${OWNED}/a`)).to.deep.equal(['owner']);
    expect(await writers('svc://localhost:8765/project/z')).to.deep.equal(['operator']);
    expect(await writers('user:free')).to.deep.equal(['owner', 'stranger', 'operator']);
  });

  it('are stored while namespaces are disabled, but refuse nothing', async () => {
    node = await startNamespacesNode({ env: { SVC_NAMESPACES_ENABLED: 'false' } });
    await node.give(PATTERN);
    expect(await listed()).to.include({ enforced: false, total: 1 });
    expect(outcome(await node.say('stranger'))).to.deep.equal([201]);
    const { hooks } = await node.node.describe();
    expect(JSON.stringify(hooks.filter(({ hook }) => hook.startsWith('append:')))).not.to.contain('namespaces');
  });

  it('are refused with an invalid pattern or invalid owners', async () => {
    node = await startNamespacesNode();
    const put = async (pattern: unknown, owners: unknown) =>
      outcome(await node.ask('operator', 'PUT', ROUTE, { body: { pattern, owners } }));
    for (const pattern of ['*', 'user:*', 'user*:a', 'a/*/b', 'a/**', '', 'x'.repeat(401), 5, null]) {
      expect((await put(pattern, ['agent:x']))[0], String(pattern)).to.equal(422);
    }
    for (const owners of [[], [''], ['  '], [5], 'agent:x', Array(65).fill('agent:x'), ['a\u0000b']]) {
      expect((await put('user:a', owners))[0], JSON.stringify(owners)).to.equal(422);
    }
    expect(await put('x'.repeat(400), ['agent:x'])).to.deep.equal([200]);
    expect((await listed()).total).to.equal(1);
  });

  it('are listed in pages, with any characters in their names', async () => {
    node = await startNamespacesNode();
    const patterns = ['user:a/*', 'user:b', 'Ünder/*', 'user:a', 'user:a/b', '日本/*', 'user:-', '\u{1F600}/*'];
    for (const pattern of patterns) await node.give(pattern);
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await listed(`?limit=3${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
      found.push(...page.namespaces.map(({ pattern }: { pattern: string }) => pattern));
      cursor = page.cursor;
    }
    expect(found).to.have.lengthOf(patterns.length);
    expect([...found].sort()).to.deep.equal([...patterns].sort());
  });

  it('are limited in number for each tenant', async function () {
    this.timeout(120_000);
    node = await startNamespacesNode();
    const service = node.kernel.get(Namespaces);
    const admin = createPrincipal({ permissions: new Set(['admin']) });
    const owners = Array.from({ length: 64 }, (_, at) => `agent:${at}`);
    const full = Math.floor(MAX_OWNERS_IN_ALL / owners.length);
    for (let at = 0; at < full; at += 1) await service.set(admin, { pattern: `user:${at}`, owners });
    const more = (pattern: string, by: readonly string[]) => rejection(service.set(admin, { pattern, owners: by }));
    expect(await more('user:more', owners)).to.include({ code: 'limit_reached', status: 409 });
    for (let at = full; at < full + 10; at += 1)
      await service.set(admin, { pattern: `user:${at}`, owners: ['agent:1'] });
    for (let at = 0; at < full; at += 1) await service.set(admin, { pattern: `user:${at}`, owners: ['agent:1'] });
    for (let at = full + 10; at < MAX_RULES; at += 1) {
      await service.set(admin, { pattern: `user:${at}`, owners: ['agent:1'] });
    }
    expect(await more('user:more', ['agent:1'])).to.include({ code: 'limit_reached', status: 409 });
    await service.set(admin, { pattern: 'user:1', owners });
    expect((await service.list(admin, { limit: 1 })).total).to.equal(MAX_RULES);
  });
});
