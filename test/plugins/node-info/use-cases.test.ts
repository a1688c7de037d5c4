import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { nodeHealth, nodeMetadata } from '../../../kernel/plugin-api.ts';
import { NodeInfo, NodeKeys } from '../../../plugins/node-info/node-info-api.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

describe('the services for metadata, keys and health of a node, without HTTP', () => {
  let node: TestNode;
  let problem: string | undefined;
  const acme = defineOwnPlugin({
    name: 'acme',
    setup({ on }) {
      on(nodeMetadata, () => ({ acme_region: 'north' }));
      on(nodeHealth, () => problem);
    },
  });
  beforeEach(async () => {
    problem = undefined;
    node = await startTestNode({ plugins: ['node-info', acme] });
  });
  afterEach(() => node.stop());

  it('return the metadata document, with the members of other plugins', async () => {
    const info = node.kernel.get(NodeInfo);
    const metadata = await info.metadata();
    expect(metadata).to.include({ auth: 'required', federation: 'disabled', acme_region: 'north' });
    expect((await node.request('GET', '/.well-known/svc')).body).to.deep.equal(metadata);
  });

  it('rotate the key of the node for administrators only', async () => {
    const rotated = node.kernel.get(NodeKeys).rotate(createPrincipal());
    expect(await rejection(rotated)).to.include({ code: 'authorization', status: 403 });
  });

  it('return the health that checks of plugins found within the last second', async () => {
    const info = node.kernel.get(NodeInfo);
    expect(await info.isHealthy()).to.equal(true);
    problem = 'the disk is full';
    expect(await info.isHealthy()).to.equal(true);
    await node.clock.advance(1_000);
    expect(await info.isHealthy()).to.equal(false);
    expect(node.logLines.some(({ message }) => message === 'the node is not healthy')).to.equal(true);
  });
});
