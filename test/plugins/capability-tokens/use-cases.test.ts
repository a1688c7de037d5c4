import { expect } from 'chai';
import {
  CapabilityRegistry,
  type CapabilityRequest,
} from '../../../plugins/capability-tokens/capability-tokens-api.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const issuer = createPrincipal({ entityUri: 'agent:issuer' });
const admin = createPrincipal({ entityUri: 'agent:admin', permissions: new Set(['read', 'write', 'admin']) });
const request = (changes: Partial<CapabilityRequest> = {}): CapabilityRequest => ({
  issuer: 'agent:issuer',
  subject: 'agent:issuer',
  verb: 'subscribe',
  object: 'svc://facts',
  ...changes,
});
const codeOf = async (refused: Promise<unknown>): Promise<unknown> => (await rejection(refused))['code'];

forEachStore('capability tokens without HTTP', () => {
  let node: TestNode;
  let registry: CapabilityRegistry;
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['capability-tokens', 'node-info'] });
    registry = node.kernel.get(CapabilityRegistry);
  });
  afterEach(() => node.stop());

  it('are issued, read, listed in pages and revoked', async () => {
    const issued = [];
    for (const ttlSeconds of [60, 120]) {
      issued.push(await registry.issue(issuer, request({ ttlSeconds })));
      await node.clock.advance(1);
    }
    const [old, young] = issued;
    expect(await registry.inspect(issuer, old?.tokenJson ?? '')).to.include({ valid: true });
    const first = await registry.list(issuer, { limit: 1 });
    expect([first.found[0]?.tokenId, first.more, first.total]).to.deep.equal([young?.tokenId, true, 2]);
    const after = { issuedMs: young?.issuedMs ?? 0, tokenId: young?.tokenId ?? '' };
    const rest = await registry.list(issuer, { limit: 1, after });
    expect([rest.found[0]?.tokenId, rest.more]).to.deep.equal([old?.tokenId, false]);
    expect((await registry.revoke(issuer, old?.tokenId ?? '', 'spent')).revokedMs).to.be.a('number');
    expect(await codeOf(registry.revoke(issuer, old?.tokenId ?? ''))).to.equal('conflict');
    expect(await registry.inspect(issuer, old?.tokenJson ?? '')).to.include({ valid: false, reason: 'token_revoked' });
  });

  it('are refused to callers without the permission, and not found by unrelated callers', async () => {
    const { tokenId } = await registry.issue(issuer, request());
    const reader = createPrincipal({ entityUri: 'agent:issuer', permissions: new Set(['read']) });
    const writer = createPrincipal({ entityUri: 'agent:issuer', permissions: new Set(['write']) });
    const stranger = createPrincipal({ entityUri: 'agent:stranger' });
    expect(await codeOf(registry.issue(reader, request()))).to.equal('authorization');
    expect(await codeOf(registry.revoke(reader, tokenId))).to.equal('authorization');
    expect(await codeOf(registry.inspect(writer, 'a token'))).to.equal('authorization');
    expect(await codeOf(registry.list(writer, { limit: 1 }))).to.equal('authorization');
    expect(await codeOf(registry.issue(stranger, request()))).to.equal('authorization');
    expect(await codeOf(registry.revoke(stranger, tokenId))).to.equal('lookup');
    expect((await registry.list(stranger, { limit: 1 })).total).to.equal(0);
    expect((await registry.list(admin, { limit: 1 })).total).to.equal(1);
  });

  it('are refused if a word or a text is invalid', async () => {
    const wrong: Partial<CapabilityRequest>[] = [
      { verb: 'own' as 'read' },
      { ttlSeconds: 0 },
      { object: 'svc://facts/scope:world' },
    ];
    for (const changes of wrong) {
      expect(await codeOf(registry.issue(issuer, request(changes))), JSON.stringify(changes)).to.equal('validation');
    }
    const { tokenId } = await registry.issue(issuer, request());
    expect(await codeOf(registry.revoke(issuer, tokenId, 'a\u0000'))).to.equal('validation');
    expect(await codeOf(registry.revoke(issuer, 'a\u0000'))).to.equal('lookup');
    expect(await codeOf(registry.list(issuer, { limit: 0 }))).to.equal('validation');
  });
});
