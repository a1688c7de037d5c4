import { expect } from 'chai';
import { definePlugin, KERNEL_API, schema } from '../../../kernel/plugin-api.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

const GUARDS: Readonly<Record<string, string>> = {
  SVC_SOURCE_ATTESTATION_MODE: 'enforce',
  SVC_RATE_LIMITS: 'spec',
  SVC_DECAY_TTL_SECONDS: '60',
};

/** A third party's plugin that honours one of them. */
const limits = definePlugin({
  name: 'acme-limits',
  version: '1.0.0',
  kernelApi: KERNEL_API,
  summary: 'limits how much a caller may do',
  config: schema<{ limits: string }>({
    type: 'object',
    properties: { limits: { type: 'string', default: '', env: 'SVC_RATE_LIMITS' } },
  }),
  setup() {},
});

describe('An operator switches on a guard that this node does not have (I22)', () => {
  it('and the node does not start, with all of them in one error and not a value among them', async () => {
    const error = await rejection(startTestNode({ env: GUARDS }));
    for (const name of Object.keys(GUARDS)) expect(error.message).to.contain(name);
    expect(error.message).to.contain('nothing in this node honours them');
    expect(error.message).to.contain('unset');
    expect(error.message).not.to.contain('spec');
  });

  it('and one that a plugin of this node would honour is told which plugin to switch on', async () => {
    const error = await rejection(startTestNode({ plugins: ['keys'], env: { SVC_SESSION_GUARD: 'enforce' } }));
    expect(error.message).to.contain('SVC_SESSION_GUARD');
    expect(error.message).to.contain('switch the plugin facts on');
  });

  it('and the node starts once a plugin has it, or the variable says what is so anyway', async () => {
    const env = { SVC_RATE_LIMITS: 'spec', SVC_TOMBSTONES_ENABLED: '0', SVC_SOURCE_ATTESTATION_MODE: 'off' };
    const node = await startTestNode({ plugins: ['keys', limits], env });
    await node.stop();
  });
});
