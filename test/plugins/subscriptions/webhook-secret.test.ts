import { expect } from 'chai';
import { createWebhookSecrets } from '../../../plugins/subscriptions/webhook-secret.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';

const key = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);

describe('The secret of a webhook', () => {
  const random = createSeededRandom();
  const first = createWebhookSecrets(key(1), [], random);

  it('is opened for its own subscription alone, also after the node has another key', () => {
    const secret = first.draw();
    const sealed = first.seal(secret, 'one');
    expect(sealed).to.not.include(secret.slice(6, 40));
    expect(first.open(sealed, 'one')).to.equal(secret);
    expect(createWebhookSecrets(key(2), [key(1)], random).open(sealed, 'one')).to.equal(secret);
    expect(() => first.open(sealed, 'two')).to.throw('cannot be opened');
    expect(() => createWebhookSecrets(key(2), [], random).open(sealed, 'one')).to.throw('cannot be opened');
    expect(() => first.open('x', 'one')).to.throw('damaged');
  });
});
