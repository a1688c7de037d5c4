import { expect } from 'chai';
import { createSigner, defineOwnPlugin, encodeBase64Url, verifyEd25519 } from '../../../kernel/internal-api.ts';
import { nodeHealth, nodeMetadata, sha256Hex } from '../../../kernel/plugin-api.ts';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { NodeIdentity } from '../../../plugins/node-info/node-info-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const SEED = new Uint8Array(32).fill(3);
const PUBLIC_KEY = encodeBase64Url(createSigner(SEED).publicKey);

/** Handles both hooks the way a test says. */
const probe = (handlers: {
  health?: () => string | undefined | Promise<string | undefined>;
  metadata?: () => Record<string, unknown>;
}): AnyPlugin =>
  defineOwnPlugin({
    name: 'z-probe',
    setup({ on }) {
      if (handlers.health !== undefined) on(nodeHealth, handlers.health);
      if (handlers.metadata !== undefined) on(nodeMetadata, handlers.metadata);
    },
  });

const nodes: TestNode[] = [];
const start = async (options: Parameters<typeof startTestNode>[0]): Promise<TestNode> => {
  const node = await startTestNode(options);
  nodes.push(node);
  return node;
};
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});

forEachStore('the node metadata', () => {
  it('is readable without a key, and is complete without other plugins', async () => {
    const node = await start({
      plugins: ['node-info'],
      node: { id: 'svc://node.alpha.example' },
      url: 'http://127.0.0.1:9001',
      env: { SVC_NODE_PRIVATE_KEY: encodeBase64Url(SEED) },
    });
    const reply = await node.request('GET', '/.well-known/svc');
    expect(reply.status).to.equal(200);
    expect(reply.body).to.deep.equal({
      version: '1.0',
      node_id: 'svc://node.alpha.example',
      node_url: 'http://127.0.0.1:9001',
      auth: 'required',
      federation: 'disabled',
      source_attestation: 'off',
      namespaces: ['svc:', 'rel:', 'memory:', 'intent:', 'roadmap:', 'preference:', 'garden:'],
      unicode_version: '17.0',
      spec: 'http://127.0.0.1:9001/spec',
      cors: { dev_localhost: false, configured: false },
      federation_pubkey: PUBLIC_KEY,
      federation_keys: [
        {
          key_id: sha256Hex(createSigner(SEED).publicKey).slice(0, 16),
          public_key: PUBLIC_KEY,
          valid_from: '2026-03-02T09:00:00.000Z',
          valid_until: null,
          signed_by: null,
        },
      ],
    });
  });

  it('contains the name of the service, the mode of authentication and the settings for browsers', async () => {
    const node = await start({
      plugins: ['node-info'],
      node: { authRequired: false },
      env: {
        SVC_SERVICE_NAME: 'acme',
        SVC_CORS_ALLOWED_ORIGINS: 'https://app.example',
        SVC_CORS_DEV_LOCALHOST: 'true',
      },
    });
    expect((await node.request('GET', '/.well-known/svc')).status).to.equal(404);
    const { body } = await node.request('GET', '/.well-known/acme');
    expect(body.auth).to.equal('none');
    expect(body.namespaces[0]).to.equal('acme:');
    expect(body.cors).to.deep.equal({ dev_localhost: true, configured: true });
  });

  it('contains members of plugins, which the node requests once for many clients', async () => {
    let asked = 0;
    const metadata = () => {
      asked += 1;
      return { federation: 'enabled', federation_version: '0.5' };
    };
    const node = await start({ plugins: ['node-info', probe({ metadata })] });
    const replies = await Promise.all(Array.from({ length: 50 }, () => node.request('GET', '/.well-known/svc')));
    expect(asked).to.equal(1);
    expect(replies.at(-1)?.body).to.include({ federation: 'enabled', federation_version: '0.5', version: '1.0' });
    await node.clock.advance(1_000);
    await node.request('GET', '/.well-known/svc');
    expect(asked).to.equal(2);
  });

  it('contains the public key of the node, which stays the same after a restart', async () => {
    const first = await start({ plugins: ['node-info'] });
    const identity = first.kernel.get(NodeIdentity);
    const message = Buffer.from('signed');
    const publicKey = Buffer.from(identity.publicKey, 'base64url');
    expect(verifyEd25519(publicKey, message, identity.sign(message))).to.equal(true);
    const second = await start({ plugins: ['node-info'], folder: first.folder, url: 'http://localhost:8766' });
    expect(second.kernel.get(NodeIdentity).publicKey).to.equal(identity.publicKey);
  });

  it('never contains the private key; an invalid one stops the start without being shown', async () => {
    const secret = encodeBase64Url(SEED);
    const node = await start({ plugins: ['node-info', 'keys'], env: { SVC_NODE_PRIVATE_KEY: secret } });
    const { text } = await node.request('GET', '/.well-known/svc');
    const described = JSON.stringify(await node.node.describe());
    expect(text + JSON.stringify(node.logLines) + described).not.to.contain(secret);
    for (const bad of [`${secret}=`, secret.slice(1), `${secret.slice(0, 42)}!`, `${secret.slice(0, 42)}B`]) {
      const error = await startTestNode({ plugins: ['node-info'], env: { SVC_NODE_PRIVATE_KEY: bad } }).then(
        () => new Error('it started'),
        (problem: Error) => problem,
      );
      expect(error.message, bad).to.contain('SVC_NODE_PRIVATE_KEY').and.not.contain(bad);
    }
  });
});

forEachStore('the health of the node', () => {
  const health = async (node: TestNode) => {
    const { status, text } = await node.request('GET', '/healthz');
    return [status, text];
  };
  const OK = [200, '{"status":"ok"}'];
  const DOWN = [503, '{"status":"unavailable"}'];

  it('is ok exactly while the store accepts writes', async () => {
    const node = await start({ plugins: ['node-info'] });
    expect(await health(node)).to.deep.equal(OK);
  });

  it("is unavailable when a plugin's check throws or reports a problem, which only the log names", async () => {
    let problem: 'none' | 'thrown' | 'named' = 'none';
    const check = () => {
      if (problem === 'thrown') throw new Error('the disk at /var/data is full');
      return problem === 'named' ? 'the queue is stuck' : undefined;
    };
    const node = await start({ plugins: ['node-info', probe({ health: check })] });
    expect(await health(node)).to.deep.equal(OK);
    for (const next of ['thrown', 'named'] as const) {
      problem = next;
      await node.clock.advance(1_000);
      expect(await health(node), next).to.deep.equal(DOWN);
    }
    const warnings = node.logLines.filter(({ level }) => level === 'warn');
    expect(warnings, 'said once, not at every request').to.have.length(1);
    problem = 'none';
    await node.clock.advance(1_000);
    expect(await health(node)).to.deep.equal(OK);
    expect(node.logLines.at(-1)?.message).to.contain('healthy again');
  });

  it('does not wait for a check that hangs', async () => {
    const node = await start({ plugins: ['node-info', probe({ health: () => new Promise(() => {}) })] });
    const asked = health(node);
    // The check is on its way once it has set its time limit.
    const before = node.clock.pending;
    while (node.clock.pending === before) await new Promise((resolve) => setImmediate(resolve));
    await node.clock.advance(1_000);
    expect(await asked).to.deep.equal(DOWN);
  });

  it('is checked once for all clients that ask within a second', async () => {
    let checks = 0;
    const node = await start({
      plugins: [
        'node-info',
        probe({
          health: () => {
            checks += 1;
            return undefined;
          },
        }),
      ],
    });
    await Promise.all(Array.from({ length: 50 }, () => health(node)));
    await health(node);
    expect(checks).to.equal(1);
  });
});
