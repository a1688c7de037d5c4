import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { createWebhookSeals, type WebhookSeals } from '../../../plugins/subscriptions/webhook-seals.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';

/** A node identity whose derived secrets differ by key and purpose. */
const identity = (name: string, retired: readonly string[] = []) => ({
  publicKey: name,
  ...derivingFrom(name),
  retired: retired.map((old) => ({ publicKey: old, ...derivingFrom(old) })),
});
const derivingFrom = (name: string) => ({
  deriveSecret: (purpose: string) => new Uint8Array(createHash('sha256').update(`${name}:${purpose}`).digest()),
});

describe('the encrypted address and secret of a webhook', () => {
  const random = createSeededRandom();
  const first = createWebhookSeals(identity('1'), random);
  const url = 'https://hook.example/in?token=canary';
  const target = { key: 'e:user:a' };
  const sealedBy = (seals: WebhookSeals, id: string) => {
    const secret = seals.drawSecret();
    return {
      secret,
      sealed: { id, secret: seals.sealSecret(secret, id), address: seals.sealAddress(url, id), formerSecrets: [] },
    };
  };

  it('can be decrypted only for their own subscription, also after a key rotation of the node', () => {
    const { secret, sealed } = sealedBy(first, 'one');
    expect(JSON.stringify(sealed)).to.not.include(secret.slice(6, 40)).and.not.include('hook.example');
    expect(first.open(sealed)).to.deep.equal({ url, secrets: [secret] });
    expect(createWebhookSeals(identity('2', ['1']), random).open(sealed)).to.deep.equal({ url, secrets: [secret] });
    expect(() => first.open({ ...sealed, id: 'two' })).to.throw('cannot be opened');
    expect(() => createWebhookSeals(identity('2'), random).open(sealed)).to.throw('cannot be opened');
    expect(() => first.open({ ...sealed, secret: 'x' })).to.throw('damaged');
    expect(() => first.open({ ...sealed, address: sealed.secret })).to.throw('cannot be opened');
    expect(() => first.open({ ...sealed, secret: sealed.address })).to.throw('cannot be opened');
  });

  it('are encrypted differently each time', () => {
    const addresses = new Set(Array.from({ length: 50 }, () => first.sealAddress(url, 'one')));
    expect(addresses.size).to.equal(50);
  });

  it('have one digest for equal requests, with each present and former key of the node', () => {
    const [current, ...older] = createWebhookSeals(identity('2', ['1']), random).digests(target, url);
    expect(first.digests(target, url)).to.deep.equal(older);
    expect(current).to.not.equal(older[0]);
    const others = [first.digests({ key: 'e:user:b' }, url), first.digests(target, `${url}2`)];
    expect(new Set([older, ...others].flat()).size).to.equal(3);
  });
});
