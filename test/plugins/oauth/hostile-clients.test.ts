import { expect } from 'chai';
import {
  askFor,
  authorize,
  CALLBACK,
  DOCUMENT,
  type OAuthNode,
  register,
  serveDocument,
  startOAuthNode,
} from './oauth-kit.ts';

const REFUSED_REDIRECTS = [
  'javascript:alert(1)',
  'data:text/html,x',
  'http://assistant.example/callback',
  'http://127.0.0.1.evil.example/callback',
  'http://localhost.evil.example/callback',
  'https://assistant.example/callback#x',
  'https://me:secret@assistant.example/callback',
  'https://assistant.example\\@evil.example/',
  'file:///etc/passwd',
  'vbscript:x',
  'plainscheme:/callback',
  '/callback',
];

describe('a hostile registration (I14)', () => {
  let node: OAuthNode;
  before(async () => {
    node = await startOAuthNode();
  });
  after(() => node.stop());

  for (const uri of REFUSED_REDIRECTS) {
    it(`is refused with the redirect address ${uri}`, async () => {
      const { status, body } = await register(node, { redirect_uris: [uri] });
      expect([status, body.error]).to.deep.equal([400, 'invalid_redirect_uri']);
    });
  }

  it('is refused without a redirect address, with reversed text, or for other grants', async () => {
    const hostile = [
      { redirect_uris: [] },
      { redirect_uris: undefined },
      { redirect_uris: CALLBACK },
      { client_name: 'a'.repeat(101) },
      { client_name: 'good\u202Eevil' },
      { client_name: { $gt: '' } },
      { grant_types: ['client_credentials'] },
      { response_types: ['token'] },
    ];
    for (const changes of hostile) {
      expect((await register(node, changes)).status, JSON.stringify(changes)).to.equal(400);
    }
  });

  it('permits another port of a loopback address, and no other change', async () => {
    const { body } = await register(node, { redirect_uris: ['http://127.0.0.1:1234/callback'] });
    const statusOf = async (uri: string) =>
      (await authorize(node, askFor(body.client_id, { redirect_uri: uri }))).status;
    expect(await statusOf('http://127.0.0.1:65000/callback')).to.equal(200);
    expect(await statusOf('http://127.0.0.1:65536/callback')).to.equal(400);
    expect(await statusOf('http://localhost:1234/callback')).to.equal(400);
    expect(await statusOf('http://127.0.0.1:1234/other')).to.equal(400);
    expect(await statusOf('http://127.0.0.1:1234@evil.example/callback')).to.equal(400);
  });
});

describe('a flood of client registrations', () => {
  it('is limited, expires after an hour, and does not affect metadata documents', async () => {
    const node = await startOAuthNode();
    await serveDocument(node.network);
    try {
      const statuses = new Set<number>();
      for (let count = 0; count < 500; count += 1) statuses.add((await register(node)).status);
      expect([...statuses]).to.deep.equal([201, 503]);
      expect((await authorize(node, askFor(DOCUMENT))).status).to.equal(200);
      await node.clock.advance(3_600_000);
      expect((await register(node)).status).to.equal(201);
    } finally {
      await node.stop();
    }
  });

  it('is impossible where registration is off', async () => {
    const node = await startOAuthNode({ registration: false });
    try {
      expect((await register(node)).status).to.equal(404);
      const { body } = await node.request('GET', '/.well-known/oauth-authorization-server');
      expect(body).to.not.have.property('registration_endpoint');
    } finally {
      await node.stop();
    }
  });
});

describe('a metadata document of a client', () => {
  const DOCUMENTS: Readonly<Record<string, object>> = {
    'of another client': { client_id: 'https://other.example/client.json' },
    'with a secret': { client_secret: 'secret' },
    'without a name': { client_name: undefined },
    'without a redirect address': { redirect_uris: undefined },
    'with a redirect address that is a script': { redirect_uris: ['javascript:alert(1)'] },
    'of more than 64 KB': { padding: 'x'.repeat(65_536) },
  };
  let node: OAuthNode;
  before(async () => {
    node = await startOAuthNode();
  });
  after(() => node.stop());

  for (const [kind, changes] of Object.entries(DOCUMENTS)) {
    it(`is refused ${kind}`, async () => {
      await serveDocument(node.network, changes);
      expect((await authorize(node, askFor(DOCUMENT))).status).to.equal(400);
      await node.clock.advance(30_000);
    });
  }

  it('is fetched once for many requests, and again later', async () => {
    const fetches = await serveDocument(node.network);
    for (let count = 0; count < 5; count += 1) expect((await authorize(node, askFor(DOCUMENT))).status).to.equal(200);
    expect(fetches()).to.equal(1);
    await node.clock.advance(600_000);
    await authorize(node, askFor(DOCUMENT));
    expect(fetches()).to.equal(2);
  });

  it('is refused behind a redirect', async () => {
    await node.clock.advance(600_000);
    const handle = async () => ({ status: 302, headers: { Location: 'https://169.254.169.254/' } });
    await node.network.transport('https://assistant.example').serve({
      endpoints: [{ method: 'GET', path: '/client.json', handle }],
      unmatched: handle,
    });
    expect((await authorize(node, askFor(DOCUMENT))).status).to.equal(400);
  });

  it('is refused after five seconds without a reply', async () => {
    await node.clock.advance(30_000);
    const handle = (): Promise<never> => {
      setImmediate(() => node.clock.advance(5_000));
      return new Promise(() => {});
    };
    await node.network.transport('https://assistant.example').serve({
      endpoints: [{ method: 'GET', path: '/client.json', handle }],
      unmatched: async () => ({ status: 404, headers: {} }),
    });
    expect((await authorize(node, askFor(DOCUMENT))).status).to.equal(400);
  });
});
