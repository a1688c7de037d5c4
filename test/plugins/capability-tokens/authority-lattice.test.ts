import { expect } from 'chai';
import fc from 'fast-check';
import { definePlugin, GardenAccess, SCOPES, type Scope } from '../../../kernel/plugin-api.ts';
import { CAPABILITY_VERBS, type CapabilityVerb } from '../../../plugins/capability-tokens/capability-tokens-api.ts';
import type { DefaultPermission } from '../../kit/all-permissions.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { DAY_MS, holder, PATH, startTokenNode, type TokenNode } from './token-node.ts';

const NEEDED: Readonly<Record<CapabilityVerb, DefaultPermission>> = {
  read: 'read',
  write: 'write',
  admin: 'admin',
  federate: 'federate',
  subscribe: 'read',
  'tombstone:read': 'admin',
};
const OBJECTS: Readonly<Record<string, readonly Scope[]>> = {
  'svc://facts': SCOPES,
  'SVC://Facts': SCOPES,
  'svc://facts/scope:team': ['team'],
  'scope:company': ['company'],
  public: ['public'],
  'svc://alpha.example/project/atlas': [],
  'user:alice': [],
};

/** A plugin with the garden `rose`, whose only member is `agent:gardener`. */
const gardens = definePlugin({
  name: 'test-gardens',
  version: '1',
  kernelApi: 1,
  provides: [GardenAccess],
  setup({ provide }) {
    const mine = (name: string, entityUri: string) => /rose$/.test(name) && entityUri === 'agent:gardener';
    provide(GardenAccess, {
      readable: async () => [],
      writable: async () => [],
      administered: async () => [],
      enter: async (name, { entityUri }) =>
        mine(name, entityUri) ? { id: 'g', scope: 'team', mayWrite: false } : undefined,
    });
  },
});

const subset = <T>(of: readonly T[]) => fc.subarray([...of], { minLength: 1 });

forEachStore('the authority of a capability token', () => {
  let node: TokenNode;
  before(async () => {
    node = await startTokenNode({ extra: [gardens] });
  });
  after(() => node?.stop());

  const issue = async (key: string, body: Readonly<Record<string, unknown>>) =>
    node.request('POST', PATH, { key, body });

  it('never exceeds the rights of its issuer', async () => {
    let made = 0;
    const chain = fc.array(
      fc.record({
        permissions: subset(['read', 'write', 'federate', 'admin'] as const),
        scopes: subset(SCOPES),
        toSelf: fc.boolean(),
        verb: fc.constantFrom(...CAPABILITY_VERBS),
        object: fc.constantFrom(...Object.keys(OBJECTS)),
        lifetimeS: fc.integer({ min: 1, max: 91 * 86_400 }),
      }),
      { minLength: 1, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(chain, async (links) => {
        for (const { permissions, scopes, toSelf, verb, object, lifetimeS } of links) {
          made += 1;
          const entityUri = `agent:link-${made}`;
          const subject = toSelf ? entityUri : `agent:link-${made + 1}`;
          const key = await node.addKey({ entityUri, permissions, scopes });
          const request = { issuer: entityUri, subject, verb, object, ttl_seconds: lifetimeS };
          const { status, body } = await issue(key, request);
          const holds =
            permissions.includes('write') &&
            permissions.includes(NEEDED[verb] as 'read') &&
            (toSelf || permissions.includes('admin')) &&
            (OBJECTS[object] ?? []).every((scope) => scopes.includes(scope));
          const lives = lifetimeS <= 90 * 86_400;
          const isRight = holds && lives ? status === 201 : status === 403 || status === 422;
          expect(isRight, `${status} for ${JSON.stringify({ permissions, scopes, ...request })}`).to.equal(true);
          if (status !== 201) continue;
          expect(body).to.include({ issuer: entityUri, subject, verb, object });
          expect(Date.parse(body.expiry) - node.clock.nowMs()).to.be.at.most(Math.min(lifetimeS * 1000, 90 * DAY_MS));
          // The token grants its verb over its object and no other verb.
          for (const other of CAPABILITY_VERBS.filter((known) => known !== verb)) {
            const need = { verb: other, target: { kind: 'entity', uri: object } } as const;
            expect(await node.refusal(body.token_json, need, holder(subject))).to.match(/^capability_invalid: /);
          }
        }
      }),
      { numRuns: Math.ceil(RUNS / 5) },
    );
  });

  it('includes no scope that the issuer lacks, even if the issuer is an admin', async () => {
    const permissions = ['read', 'write', 'admin'] as const;
    const key = await node.addKey({ entityUri: 'agent:narrow', permissions, scopes: ['team', 'company'] });
    for (const [object, scopes] of Object.entries(OBJECTS)) {
      const { status, body } = await issue(key, {
        issuer: 'agent:narrow',
        subject: 'agent:wide',
        verb: 'subscribe',
        object,
      });
      const isHeld = scopes.every((scope) => scope === 'team' || scope === 'company');
      expect([status, body.code], object).to.deep.equal(isHeld ? [201, undefined] : [403, 'authorization']);
    }
  });

  it('excludes a garden in which the issuer is not a member, in every spelling of its name', async () => {
    const stranger = await node.addKey({ entityUri: 'agent:stranger' });
    const gardener = await node.addKey({ entityUri: 'agent:gardener' });
    const of = (who: string, object: string) => ({ issuer: who, subject: who, verb: 'subscribe', object });
    for (const object of ['svc://garden/rose', 'svc://alpha.example/garden/rose', 'SVC://Garden/Rose']) {
      const refused = await issue(stranger, of('agent:stranger', object));
      expect([refused.status, refused.body.code], object).to.deep.equal([403, 'authorization']);
    }
    expect((await issue(gardener, of('agent:gardener', 'svc://garden/rose'))).status).to.equal(201);
    const below = await issue(stranger, of('agent:stranger', 'svc://alpha.example/garden/rose/bed'));
    expect(below.status, 'an entity below it').to.equal(201);
    expect((await issue(gardener, of('agent:gardener', 'svc://garden/tulip'))).status).to.equal(403);
    expect((await issue(node.ops, of('agent:ops', 'svc://garden/tulip'))).status, 'an admin').to.equal(201);
  });

  it('equals that of the anonymous local caller while authentication is disabled', async () => {
    const open = await startTokenNode({
      plugins: ['audit', 'node-info', 'capability-tokens'],
      node: { authRequired: false },
    });
    const ask = (verb: string, subject = 'anon:trusted') =>
      open.request('POST', PATH, { body: { issuer: 'anon:trusted', subject, verb, object: 'svc://facts' } });
    expect((await ask('subscribe')).status).to.equal(201);
    expect((await ask('admin')).status).to.equal(403);
    expect((await ask('subscribe', 'agent:me')).status).to.equal(403);
    await open.stop();
  });
});
