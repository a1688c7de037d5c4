import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type ServingNode, Workplace } from '../../adapters/cli/spawned-program.ts';
import { OWNED, PATTERN } from './namespaces-node.ts';

describe('the namespace commands', () => {
  let place: Workplace;
  let node: ServingNode;

  before(async () => {
    place = new Workplace();
    node = await place.serve();
  });

  after(() => place.dispose());

  it('set, list and remove rules of a running node, and warn that it does not enforce them', async () => {
    const added = await place.run(['namespace', 'add', PATTERN, '--owners', 'agent:x,agent:y']);
    expect(added.exitCode, added.stderr).to.equal(0);
    expect(added.stderr).to.contain('agent:x, agent:y').and.to.contain('SVC_NAMESPACES_ENABLED is off');
    await place.run(['namespace', 'add', OWNED, '--owners', 'agent:z']);
    const key = readFileSync(place.path('data/admin.key'), 'utf8').trim();
    const reply = await fetch(`${node.url}/v1/namespaces`, { headers: { authorization: `Bearer ${key}` } });
    const { enforced, namespaces } = (await reply.json()) as { enforced: boolean; namespaces: unknown[] };
    expect(enforced).to.equal(false);
    const { stdout } = await place.run(['namespace', 'list', '--json']);
    const listed = stdout.trim().split('\n');
    expect(listed.map((line) => JSON.parse(line))).to.deep.equal(namespaces);
    expect((await place.run(['namespace', 'list'])).stdout).to.match(/^pattern +owners\n/);
    expect((await place.run(['namespace', 'remove', OWNED])).exitCode).to.equal(0);
    const again = await place.run(['namespace', 'remove', OWNED]);
    expect([again.exitCode, again.stdout]).to.deep.equal([1, '']);
    expect(again.stderr).to.contain('there is no rule for this namespace');
  });

  it('refuse a namespace without owners, and an unknown tenant', async () => {
    const without = await place.run(['namespace', 'add', PATTERN]);
    expect(without.exitCode).to.equal(1);
    expect(without.stderr).to.contain('--owners');
    const foreign = await place.run(['namespace', 'list', '--tenant', 'acme']);
    expect(foreign.exitCode).to.equal(1);
    expect(foreign.stdout).to.equal('');
  });
});
