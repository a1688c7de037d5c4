import { expect } from 'chai';
import fc from 'fast-check';
import { canonicalJson, createSigner, encodeBase64Url } from '../../../kernel/internal-api.ts';
import { FactStore } from '../../../ports/ports.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { pluginStore } from '../../kit/plugin-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { ATLAS, DAY_MS, holder, onEntity, PATH, startTokenNode, type TokenNode } from './token-node.ts';

const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

/** Returns the signature with another valid S, which a lax verifier would accept. */
const withUnreducedS = (signature: string): string => {
  const bytes = Buffer.from(signature, 'base64url');
  let s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + GROUP_ORDER;
  for (let at = 32; at < 64; at += 1, s >>= 8n) bytes[at] = Number(s & 0xffn);
  return bytes.toString('base64url');
};

const nextCharacter = (text: string, at: number): string =>
  text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);

forEachStore('a capability token that is presented', () => {
  let node: TokenNode;
  let text: string;
  before(async () => {
    node = await startTokenNode();
    text = await node.issue();
  });
  after(() => node?.stop());

  const changed = (change: Readonly<Record<string, unknown>>): string =>
    canonicalJson(
      Object.fromEntries(Object.entries({ ...JSON.parse(text), ...change }).filter(([, v]) => v !== undefined)),
    );
  const spelled = (document: unknown): string => JSON.stringify(document, null, 2);
  const seen = async (token: unknown) =>
    (await node.request('POST', `${PATH}/verify`, { key: node.mine, body: { token_json: token } })).body;

  it('is valid for its subject, verb and object, and the result contains its expiry', async () => {
    const { token_id: tokenId, expiry } = JSON.parse(text);
    expect(await node.tokens.verify(text, onEntity(), holder())).to.deep.equal({
      tokenId,
      issuer: 'agent:ops',
      subject: 'agent:me',
      verb: 'subscribe',
      object: ATLAS,
      expiresMs: Date.parse(expiry),
    });
    expect(await seen(text)).to.deep.equal({ valid: true });
  });

  it('may contain white space, escapes and members in any order, because the signature covers its members', async () => {
    const backwards = Object.fromEntries(Object.entries(JSON.parse(text)).reverse());
    for (const other of [spelled(JSON.parse(text)), spelled(backwards), text.replace('agent:me', '\\u0061gent:me')]) {
      expect(await node.refusal(other)).to.equal('none');
    }
  });

  it('may have a non-ASCII subject, escaped or as raw bytes of a header', async () => {
    const accented = await node.issue({ subject: 'agent:zoë' });
    const need = [onEntity(), holder('agent:zoë')] as const;
    expect(await node.refusal(accented, ...need)).to.equal('none');
    expect(await node.refusal(Buffer.from(accented).toString('latin1'), ...need)).to.equal('none');
    expect(await node.refusal(accented.replace('ë', '\\u00eb'), ...need)).to.equal('none');
  });

  it('is required: a missing or blank token is refused', async () => {
    for (const nothing of [undefined, '', '  ']) {
      expect(await node.refusal(nothing)).to.match(/^capability_required: /);
    }
  });

  for (const [member, value] of Object.entries({
    token_id: '5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11',
    issuer: 'agent:other',
    subject: 'agent:other',
    verb: 'admin',
    object: 'svc://facts',
    issued_at: '2026-03-02T08:00:00.000Z',
    expiry: '2026-05-01T00:00:00.000Z',
    nonce: '0'.repeat(64),
  })) {
    it(`has a bad signature if its ${member} was changed`, async () => {
      expect(await node.refusal(changed({ [member]: value }))).to.equal(
        'capability_invalid: token_invalid: bad signature',
      );
      expect((await seen(changed({ [member]: value }))).reason).to.equal('token_invalid: bad signature');
    });
    it(`is malformed without its ${member}, or with another type of it`, async () => {
      for (const other of [undefined, null, 5, [value], { a: value }]) {
        expect(await node.refusal(changed({ [member]: other }))).to.equal(
          'capability_invalid: token_invalid: not a capability token',
        );
      }
    });
  }

  it('is refused after a change of one character of its signature', async () => {
    const { signature } = JSON.parse(text) as { signature: string };
    for (let at = 0; at < signature.length; at += 5) {
      expect(await node.refusal(changed({ signature: nextCharacter(signature, at) })), String(at)).to.match(
        /^capability_invalid: token_invalid: /,
      );
    }
  });

  it('is refused with any other encoding of its signature', async () => {
    const { signature } = JSON.parse(text) as { signature: string };
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet[alphabet.indexOf(signature.slice(-1)) + 1];
    const others = [
      `${signature}==`,
      `${signature}\n`,
      ` ${signature}`,
      signature.slice(0, -1) + last,
      Buffer.from(signature, 'base64url').toString('base64'),
      Buffer.from(signature, 'base64url').toString('hex'),
      withUnreducedS(signature),
      signature.slice(0, 40),
      '',
    ];
    for (const other of others) {
      expect(await node.refusal(changed({ signature: other })), other).to.match(/^capability_invalid: token_invalid: /);
    }
  });

  it('is malformed with an extra or repeated member, another version or extra content', async () => {
    const { signature: _, ...unsigned } = JSON.parse(text);
    const others = [
      changed({ scopes: ['public'] }),
      changed({ token_version: 2 }),
      changed({ token_version: '1' }),
      text.replace('{', '{"verb":"admin",'),
      text.replace('}', ',"verb":"subscribe"}'),
      canonicalJson(unsigned),
      `[${text}]`,
      `${text}${text}`,
      `${text} x`,
      `\ufeff${text}`,
      JSON.stringify(text),
      'null',
      '{}',
      'eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCJ9.e30.AAAA',
      text.slice(0, -1),
      `${text.slice(0, -1)},"x":"${'x'.repeat(200_000)}"}`,
      node.mine,
    ];
    for (const other of others) {
      expect(await node.refusal(other), other.slice(0, 60)).to.equal(
        'capability_invalid: token_invalid: not a capability token',
      );
      expect(await seen(other), other.slice(0, 60)).to.include({ valid: false, reason: 'token_invalid' });
    }
  });

  it('is refused after a change of any character', async () => {
    const change = fc.tuple(fc.nat(text.length - 1), fc.integer({ min: 0x20, max: 0x7e }));
    await fc.assert(
      fc.asyncProperty(change, async ([at, code]) => {
        const character = String.fromCharCode(code);
        fc.pre(text[at] !== character);
        const other = text.slice(0, at) + character + text.slice(at + 1);
        expect(await node.refusal(other), other).to.match(/^capability_invalid: token_invalid: /);
      }),
      { numRuns: RUNS },
    );
  });

  it('has a bad signature if another node signed it', async () => {
    const { signature: _, ...members } = JSON.parse(text);
    const stranger = createSigner(new Uint8Array(32).fill(9));
    const signature = encodeBase64Url(stranger.sign(Buffer.from(canonicalJson(members))));
    expect(await node.refusal(canonicalJson({ ...members, signature }))).to.equal(
      'capability_invalid: token_invalid: bad signature',
    );
    const other = await startTokenNode({ random: createSeededRandom(7) });
    expect(await node.refusal(await other.issue())).to.equal('capability_invalid: token_invalid: bad signature');
    await other.stop();
  });

  it('is refused for another subject, verb or object', async () => {
    const needs = [
      [onEntity(), holder('agent:ops'), 'it was issued to another entity'],
      [onEntity(), holder('agent:ME'), 'it was issued to another entity'],
      [{ ...onEntity(), verb: 'read' }, holder(), 'it is for another verb'],
      [onEntity('svc://alpha.example/project/atlas-2'), holder(), 'its object does not cover the target'],
      [onEntity('svc://alpha.example/project'), holder(), 'its object does not cover the target'],
      [
        { verb: 'subscribe', target: { kind: 'scope', scope: 'public' } },
        holder(),
        'its object does not cover the target',
      ],
    ] as const;
    for (const [need, caller, why] of needs) {
      expect(await node.refusal(text, need, caller)).to.equal(`capability_invalid: token_invalid: ${why}`);
    }
  });

  it('is unknown to another tenant', async () => {
    expect(await node.refusal(text, onEntity(), holder('agent:me', 'other'))).to.equal(
      'capability_invalid: token_invalid: unknown to this node',
    );
  });

  it('expires at its expiry to the millisecond, for every kind of check', async () => {
    const short = await node.issue({ ttl_seconds: 10 });
    const { token_id: id } = JSON.parse(short);
    const holds = () =>
      pluginStore(node.kernel.get(FactStore)).read((snapshot) =>
        node.tokens.stillHolds(id, onEntity(), holder(), snapshot),
      );
    await node.clock.advance(9_999);
    expect([await node.refusal(short), await holds()]).to.deep.equal(['none', true]);
    await node.clock.advance(1);
    expect([await node.refusal(short), await holds()]).to.deep.equal([
      'capability_invalid: token_expired: its time is over',
      false,
    ]);
    expect(await seen(short)).to.include({ valid: false, reason: 'token_expired' });
    // The clock jumps, because running forty days of background tasks would take minutes.
    node.clock.setNowMs(node.clock.nowMs() + 40 * DAY_MS);
    expect(await seen(short), 'when its record is gone').to.include({ valid: false, reason: 'token_expired' });
    await comesTrue(async () => {
      await node.clock.advance(3_600_000);
      const { body } = await node.request('GET', PATH, { key: node.ops });
      return !(body.tokens as { token_id: string }[]).some((token) => token.token_id === id);
    });
  });
});
