import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { PLUGIN_CATALOG } from '../../../config/plugin-catalog.ts';
import { FactStore } from '../../../ports/ports.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { ALL_PERMISSIONS } from '../../kit/all-permissions.ts';
import { folderBytes } from '../../kit/folder-bytes.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { nextClient, TRUSTS_TEST } from '../../kit/next-client.ts';
import { startTestNode } from '../../kit/start-test-node.ts';
import { storedText } from '../../kit/stored-text.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import {
  ATLAS,
  HOOK_URL,
  type SubscribedNode,
  startSubscribedNode,
} from '../../plugins/subscriptions/subscribed-node.ts';

/** No other text contains these words, so every match is the secret itself. */
const SECRETS = {
  bootstrapKey: 'canary-bootstrap-key-0123456789-0123456789',
  registeredKey: 'canary-registered-key-0123456789-0123456789',
  refusedKey: 'canary-refused-key-0123456789-0123456789',
  unknownKey: 'canary-unknown-key-0123456789',
  keyInAddress: 'canary-key-in-the-address',
  addressSecret: 'canary-secret-of-the-address',
  addressPath: 'canary-path-of-the-address',
  refusedAddress: 'canary-of-a-refused-address',
};

const NODE_KEY = Buffer.alloc(32, 9).toString('base64url');

forEachStore('An attacker searches tables, log and data folder for raw keys, tokens and secrets (I19)', () => {
  let folder: string;
  let node: SubscribedNode;
  const clock = createManualClock();
  /** The secrets that the node generated, which may occur nowhere. */
  const drawn: Record<string, string> = {};

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'secrets-'));
    const settings = { 'node-info': { privateKey: NODE_KEY }, keys: { bootstrapKey: SECRETS.bootstrapKey } };
    node = await startSubscribedNode({
      folder,
      clock,
      plugins: Object.keys(PLUGIN_CATALOG),
      settings,
      node: TRUSTS_TEST,
    });
    await walk();
  });
  after(async () => {
    await node.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = (method: string, target: string, body?: unknown, key: string = SECRETS.bootstrapKey) =>
    node.node.request(method, target, { key, ...(body === undefined ? {} : { body }) });

  /** Sends each secret where it is valid and where it is not, and then calls each route with each of them. */
  const walk = async (): Promise<void> => {
    const entity = 'agent:walker';
    const registration = { raw_key: SECRETS.registeredKey, entity_uri: entity, permissions: [...ALL_PERMISSIONS] };
    expect((await ask('POST', '/v1/auth/keys', registration)).status).to.equal(201);
    const refused = { ...registration, raw_key: SECRETS.refusedKey, permissions: ['nonsense'] };
    expect((await ask('POST', '/v1/auth/keys', refused)).status).to.equal(422);
    expect((await ask('POST', '/v1/auth/keys', { ...registration, raw_key: [SECRETS.refusedKey] })).status).to.equal(
      422,
    );
    expect((await ask('POST', '/v1/auth/keys', `{"raw_key":"${SECRETS.refusedKey}"`)).status).to.equal(400);

    const { publicKey } = generateKeyPairSync('ed25519');
    const agentKey = { public_key: publicKey.export({ format: 'jwk' }).x };
    expect((await ask('POST', '/v1/auth/agent-keys', agentKey, SECRETS.registeredKey)).status).to.equal(201);

    const token = await node.token(ATLAS);
    drawn['capability token'] = JSON.parse(token.text).signature ?? token.text;
    const url = `${HOOK_URL}/${SECRETS.addressPath}?token=${SECRETS.addressSecret}`;
    const subscribed = await node.subscribe(ATLAS, { webhook_url: url });
    expect(subscribed.status).to.equal(201);
    drawn['webhook secret'] = subscribed.body.secret.slice('whsec_'.length);
    const forbidden = `https://127.0.0.1/?token=${SECRETS.refusedAddress}`;
    expect((await node.subscribe(ATLAS, { webhook_url: forbidden })).status).to.equal(422);
    await node.assert();
    await settled();

    const { routes } = await node.node.node.describe();
    for (const { method, path } of routes) await tryRoute(method, path);
    // Checks that valid and invalid keys do not affect each other's results.
    expect((await ask('GET', '/v1/me', undefined, SECRETS.registeredKey)).status).to.equal(200);
    const { body: keys } = await ask('GET', '/v1/auth/keys', undefined, SECRETS.registeredKey);
    expect((await ask('DELETE', `/v1/auth/keys/${keys[0].key_id ?? keys[0].id}`)).status).to.equal(204);
    expect((await ask('GET', '/v1/me', undefined, SECRETS.registeredKey)).status).to.equal(401);
    await settled();
  };

  /** Waits for the delivery, which fails because the hook has no such path, and is then logged and counted. */
  const settled = () =>
    waitUntil('the delivery was tried', 10_000, async () => {
      await clock.advance(1_000);
      const { subscriptions } = (await ask('GET', '/v1/subscriptions', undefined, node.key)).body;
      return subscriptions.some((shown: { consecutive_failures: number }) => shown.consecutive_failures > 0);
    });

  const tryRoute = async (method: string, pattern: string): Promise<void> => {
    const filled = (text: string): string => pattern.replace(/[:*][a-z_]+/g, encodeURIComponent(text));
    const hasBody = method !== 'GET' && method !== 'DELETE';
    const body = {
      raw_key: SECRETS.refusedKey,
      capability_token: drawn['capability token'],
      token_json: drawn['capability token'],
    };
    const given = hasBody ? body : undefined;
    const targets = [filled('x'), filled(SECRETS.registeredKey), `${filled('x')}?access_token=${SECRETS.keyInAddress}`];
    for (const target of targets) {
      const leave = AbortSignal.timeout(5_000);
      for (const key of [SECRETS.registeredKey, SECRETS.unknownKey, `${SECRETS.unknownKey} ${SECRETS.unknownKey}`]) {
        const headers = { 'X-Forwarded-For': nextClient() };
        const sent = { key, headers, signal: leave, ...(given === undefined ? {} : { body: given }) };
        const reply = await node.node.request(method, target, sent);
        for (const secret of [SECRETS.bootstrapKey, SECRETS.unknownKey, SECRETS.keyInAddress]) {
          // `instance` repeats only the path of the request.
          expect(reply.text, `${method} ${pattern}`).not.to.include(secret);
        }
      }
    }
  };

  const wanted = (): (readonly [string, string])[] => [...Object.entries(SECRETS), ...Object.entries(drawn)];
  const foundIn = (text: string): string[] =>
    wanted().flatMap(([name, secret]) => {
      const forms = [secret, Buffer.from(secret).toString('base64').replace(/=+$/, ''), encodeURIComponent(secret)];
      return forms.some((form) => text.includes(form)) ? [name] : [];
    });

  it('finds no secret in any table', async () => {
    const text = await storedText(node.node.kernel.get(FactStore));
    expect(text).to.include(ATLAS).and.include('agent:walker');
    expect(foundIn(text)).to.deep.equal([]);
  });

  it('finds no secret in any log line, including errors and their causes', () => {
    expect(
      foundIn(inspect(node.node.logLines, { depth: 20, maxStringLength: null, maxArrayLength: null })),
    ).to.deep.equal([]);
  });

  it('finds no secret in any file of the data folder', async () => {
    expect(foundIn(await folderBytes(folder))).to.deep.equal([]);
  });

  it('would find a secret that is present', async () => {
    expect(foundIn(`a line with ${SECRETS.refusedKey} in it`)).to.deep.equal(['refusedKey']);
    expect(foundIn(Buffer.from(SECRETS.addressSecret).toString('base64'))).to.deep.equal(['addressSecret']);
    const leaky = await startTestNode({ plugins: ['facts'] });
    try {
      const key = await leaky.addKey();
      const value = { type: 'string', v: SECRETS.addressPath };
      const body = { entity: 'user:a', relation: 'memory:x', value, source: 'agent:test' };
      await leaky.request('POST', '/v1/facts', { key, body });
      expect(foundIn(await storedText(leaky.kernel.get(FactStore)))).to.deep.equal(['addressPath']);
    } finally {
      await leaky.stop();
    }
  });
});
