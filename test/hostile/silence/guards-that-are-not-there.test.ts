import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { schema } from '../../../kernel/plugin-api.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

const GUARDS: Readonly<Record<string, string>> = {
  SVC_DECAY_TTL_SECONDS: '86399',
  SVC_DECAY_MIN_CONFIDENCE: '0.5',
};

/** A third-party plugin that implements one of the missing protections. */
const decay = defineOwnPlugin({
  name: 'acme-decay',
  summary: 'forgets what is old',
  config: schema<{ ttlS: number }>({
    type: 'object',
    properties: { ttlS: { type: 'integer', default: 0, env: 'SVC_DECAY_TTL_SECONDS' } },
  }),
  setup() {},
});

describe('An operator enables a protection that this node does not implement (I22)', () => {
  it('and the start fails with one error that names all of them and shows no value', async () => {
    const error = await rejection(startTestNode({ plugins: ['keys'], env: GUARDS }));
    for (const name of Object.keys(GUARDS)) expect(error.message).to.contain(name);
    expect(error.message).to.contain('nothing in this node honours them');
    expect(error.message).to.contain('switch the plugin decay on, or unset');
    expect(error.message).not.to.contain('86399');
  });

  it('and the error names the plugin to enable, if a bundled plugin provides the protection', async () => {
    const error = await rejection(startTestNode({ plugins: ['keys'], env: { SVC_SESSION_GUARD: 'enforce' } }));
    expect(error.message).to.contain('SVC_SESSION_GUARD');
    expect(error.message).to.contain('switch the plugin facts on');
  });

  it('and the start succeeds once a plugin provides it, or if the variable has its default value', async () => {
    const env = { SVC_DECAY_TTL_SECONDS: '86399', SVC_RATE_LIMITS: ' ', SVC_DECAY_MIN_CONFIDENCE: '0' };
    const node = await startTestNode({ plugins: ['keys', decay], env });
    await node.stop();
  });
});
