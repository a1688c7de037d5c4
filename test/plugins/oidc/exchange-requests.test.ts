import { expect } from 'chai';
import { type OidcNode, startOidcNode } from './oidc-node.ts';

const CODE = {
  code: 'code-1',
  code_verifier: 'v'.repeat(43),
  redirect_uri: 'http://127.0.0.1:4711/callback',
};

describe('a request for an exchange', () => {
  let oidc: OidcNode;
  before(async () => {
    oidc = await startOidcNode();
  });
  after(() => oidc.node.stop());

  const ROLES: readonly (readonly [unknown, readonly string[]])[] = [
    ['admin', ['admin', 'read', 'write']],
    ['writer', ['read', 'write']],
    ['reader', ['read']],
    [
      ['reader', 'admin'],
      ['admin', 'read', 'write'],
    ],
    [
      ['writer', 'reader', 'cleaner'],
      ['read', 'write'],
    ],
    [undefined, ['read']],
    [[], ['read']],
    ['Admin', ['read']],
    ['admin writer', ['read']],
    [{ admin: true }, ['read']],
    [[['admin']], ['read']],
    [7, ['read']],
    [true, ['read']],
    [null, ['read']],
    [['constructor', '__proto__', 'toString'], ['read']],
    [Array.from({ length: 1_000 }, (_, n) => `g${n}`).concat('writer'), ['read', 'write']],
  ];
  for (const [roles, permissions] of ROLES) {
    it(`grants ${permissions} for the role claim ${JSON.stringify(roles)?.slice(0, 40)}`, async () => {
      const { status, text, body } = await oidc.signIn({ roles }, { permissions: ['read', 'write', 'admin'] });
      expect(status, text).to.equal(200);
      expect(body.permissions).to.deep.equal(permissions);
    });
  }

  const BODIES: readonly (readonly [string, Readonly<Record<string, unknown>>, string])[] = [
    ['neither token nor code', {}, 'body.id_token'],
    ['a token and a code', { id_token: 'a.b.c', ...CODE }, 'body.code'],
    ['a token and a verifier', { id_token: 'a.b.c', code_verifier: CODE.code_verifier }, 'body.code_verifier'],
    ['a code without its verifier', { ...CODE, code_verifier: null }, 'body.code_verifier'],
    ['a code without its address', { ...CODE, redirect_uri: undefined }, 'body.redirect_uri'],
    ['a short verifier', { ...CODE, code_verifier: 'short' }, 'body.code_verifier'],
    ['an unknown permission', { id_token: 'a.b.c', permissions: ['root'] }, 'body.permissions[0]'],
    ['no permission', { id_token: 'a.b.c', permissions: [] }, 'body.permissions'],
    ['a long client', { id_token: 'a.b.c', client: 'c'.repeat(256) }, 'body.client'],
    ['a token that is not a string', { id_token: { alg: 'none' } }, 'body.id_token'],
    ['an unknown member', { id_token: 'a.b.c', access_token: 'x' }, 'body.access_token'],
  ];
  for (const [what, body, path] of BODIES) {
    it(`is refused with ${what}`, async () => {
      const reply = await oidc.exchange(body);
      expect(reply.status, reply.text).to.equal(422);
      expect(reply.body.errors.map((error: { path: string }) => error.path)).to.include(path);
    });
  }

  it('is not read if its body is large', async () => {
    const reply = await oidc.exchange({ id_token: 'a'.repeat(64 * 1024) });
    expect([reply.status, reply.body.code]).to.deep.equal([413, 'too_large']);
  });
});
