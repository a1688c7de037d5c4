import { expect } from 'chai';
import fc from 'fast-check';
import { decodeBase64Url, encodeBase64Url } from '../../../../kernel/internal-api.ts';
import { ServiceError } from '../../../../kernel/plugin-api.ts';
import { type PeerIdentity, segment } from '../../../kit/federation/peer-identity.ts';
import { RUNS } from '../../../kit/property-runs.ts';
import { rejection } from '../../../kit/rejection.ts';
import { NODE_ID, type ServingNode, startServingNode } from '../serving-kit.ts';

describe('a valid peer token', () => {
  let node: ServingNode;
  let peer: PeerIdentity;
  before(async () => {
    node = await startServingNode();
    peer = node.addPeer('p');
  });
  after(() => node.stop());

  const codeOf = async (token: string): Promise<string> => {
    const refused = await rejection(node.serving.tokens.accept(token));
    expect(refused).to.be.instanceOf(ServiceError).and.to.include({ status: 401 });
    return String(refused['code']);
  };

  it('is refused after any change to one of its characters', async () => {
    const token = peer.token(NODE_ID);
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), fc.integer({ min: 0x21, max: 0x7e }), async (at, code) => {
        fc.pre(token.charCodeAt(at) !== code);
        await codeOf(token.slice(0, at) + String.fromCharCode(code) + token.slice(at + 1));
      }),
      { numRuns: RUNS },
    );
    await node.serving.tokens.accept(token);
  });

  it('is refused when any member is changed and the signature is left', async () => {
    const [header, claims, signature] = peer.token(NODE_ID, { scopes: ['public'] }).split('.') as [
      string,
      string,
      string,
    ];
    const parse = (part: string) => JSON.parse(Buffer.from(decodeBase64Url(part) as Uint8Array).toString());
    const change = fc.oneof(fc.jsonValue(), fc.constant(undefined));
    for (const [at, part] of [header, claims].entries()) {
      const members = parse(part);
      for (const name of [...Object.keys(members), 'extra']) {
        await fc.assert(
          fc.asyncProperty(change, async (value) => {
            const changed = segment({ ...members, [name]: value });
            fc.pre(changed !== part);
            await codeOf(at === 0 ? `${changed}.${claims}.${signature}` : `${header}.${changed}.${signature}`);
          }),
          { numRuns: Math.ceil(RUNS / 8) },
        );
      }
    }
  });

  it('is refused with the signature of another token, or with a second signature derived from the first', async () => {
    const [header, claims, signature] = peer.token(NODE_ID).split('.') as [string, string, string];
    const other = peer.token(NODE_ID).split('.')[2];
    expect(await codeOf(`${header}.${claims}.${other}`)).to.equal('invalid_signature');
    const bytes = Buffer.from(decodeBase64Url(signature) as Uint8Array);
    const order = Buffer.from('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010', 'hex');
    let carry = 0;
    for (let at = 0; at < 32; at += 1) {
      const sum = (bytes[32 + at] as number) + (order[at] as number) + carry;
      bytes[32 + at] = sum & 0xff;
      carry = sum >> 8;
    }
    expect(await codeOf(`${header}.${claims}.${encodeBase64Url(bytes)}`)).to.equal('invalid_signature');
  });
});
