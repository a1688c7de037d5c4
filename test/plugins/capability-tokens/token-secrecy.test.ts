import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { FactStore } from '../../../ports/ports.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { holder, onEntity, PATH, startTokenNode, type TokenNode } from './token-node.ts';

forEachStore('the text of a capability token', (kind) => {
  let node: TokenNode;
  before(async () => {
    node = await startTokenNode();
  });
  after(() => node?.stop());

  const stored = async (): Promise<string> => {
    const tables = await node.kernel.get(FactStore).tables();
    const rows = await Promise.all(tables.map((table) => node.kernel.get(FactStore).table(table)));
    const files = kind === 'sqlite' ? await readdir(node.folder) : [];
    const bytes = await Promise.all(
      files.map((file) => readFile(join(node.folder, file)).catch(() => Buffer.alloc(0))),
    );
    return JSON.stringify(rows) + Buffer.concat(bytes).toString('latin1');
  };
  const audited = async () => {
    const auditor = await node.addKey({ entityUri: 'agent:auditor', permissions: ['audit.read', 'admin'] });
    const { body } = await node.request('GET', '/v1/auth/audit?limit=1000', { key: auditor });
    return (body.entries as { event_type: string; entity_uri: string; detail: Record<string, unknown> }[]).filter(
      ({ event_type: event }) => event.startsWith('capability_'),
    );
  };

  it('appears only in the reply that issued it', async () => {
    const text = await node.issue();
    const { token_id: id, signature, nonce } = JSON.parse(text) as Record<string, string>;
    const forged = text.replace('agent:me', 'agent:xy');
    const ask = (body: unknown) => node.request('POST', `${PATH}/verify`, { key: node.mine, body });
    await node.tokens.verify(text, onEntity(), holder());
    const refusals = [
      await node.refusal(forged),
      await node.refusal(text, onEntity('svc://alpha.example/other')),
      await node.refusal(text, onEntity(), holder('agent:thief')),
    ];
    const replies = [
      await ask({ token_json: text }),
      await ask({ token_json: forged }),
      await ask({ token_json: [text] }),
      await ask({ token: text }),
      await ask(`{"token_json":${text}`),
      await node.request('POST', PATH, {
        key: node.ops,
        body: { issuer: text, subject: text, verb: text, object: 'a' },
      }),
      await node.request('GET', PATH, { key: node.ops }),
      await node.request('GET', '/v1/me', { key: Buffer.from(text).toString('base64url') }),
      await node.request('POST', `${PATH}/${id}/revoke`, { key: node.ops, body: { reason: 'done' } }),
      await ask({ token_json: text }),
    ];
    expect(replies.map(({ status }) => status)).to.deep.equal([200, 200, 422, 422, 400, 422, 200, 401, 200, 200]);
    const places = {
      answers: replies.map((reply) => reply.text).join() + refusals.join(),
      log: JSON.stringify(node.logLines),
      audit: JSON.stringify(await audited()),
      store: await stored(),
    };
    for (const [place, content] of Object.entries(places)) {
      for (const secret of [signature, nonce, text]) {
        expect(content.includes(secret as string), `${place} holds part of the token`).to.equal(false);
      }
    }
    expect(places.store.includes(id as string), 'the store knows its id').to.equal(true);
  });

  it('never appears in the audit log, which names the token by id when it is issued, verified, rejected or revoked', async () => {
    const before = (await audited()).length;
    const text = await node.issue();
    const { token_id: id } = JSON.parse(text);
    await node.tokens.verify(text, onEntity(), holder());
    await node.refusal(text, onEntity('svc://alpha.example/other'));
    await node.refusal('no token at all');
    await node.request('POST', `${PATH}/${id}/revoke`, { key: node.mine });
    await node.refusal(text);
    const trail = (await audited()).slice(before);
    const about = { token_id: id, subject: 'agent:me', verb: 'subscribe', object: 'svc://alpha.example/project/atlas' };
    expect(trail.map(({ event_type: event, entity_uri: who, detail }) => [event, who, detail])).to.deep.equal([
      ['capability_issued', 'agent:ops', about],
      ['capability_verified', 'agent:me', about],
      ['capability_rejected', 'agent:me', { reason: 'token_invalid', ...about }],
      ['capability_rejected', 'agent:me', { reason: 'token_invalid' }],
      ['capability_revoked', 'agent:me', about],
      ['capability_rejected', 'agent:me', { reason: 'token_revoked', ...about }],
    ]);
  });

  it('gets no audit entry for its issue if the request was refused', async () => {
    const before = (await audited()).length;
    const body = { issuer: 'agent:me', subject: 'agent:other', verb: 'subscribe', object: 'a' };
    expect((await node.request('POST', PATH, { key: node.mine, body })).status).to.equal(403);
    expect((await audited()).length).to.equal(before);
  });
});
