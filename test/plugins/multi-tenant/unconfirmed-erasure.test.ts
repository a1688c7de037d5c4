import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { NodeSettings } from '../../../kernel/plugin-api.ts';
import { TENANTS_TABLE } from '../../../plugins/multi-tenant/multi-tenant-migrations.ts';
import { ERASED_TENANTS } from '../../../plugins/multi-tenant/receipt-file.ts';
import type { FactStore } from '../../../ports/ports.ts';
import { createLostCommits, type LostCommits } from '../../fakes/lost-commits.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTenantsNode, type TenantsNode } from './tenants-node.ts';

/** A store whose next commit to the directory after a scrub, the end of an erasure, loses its confirmation. */
const losingEnds = (commits: LostCommits, inner: FactStore): FactStore =>
  new Proxy(commits.watch(inner), {
    get(store, name) {
      const member: unknown = Reflect.get(store, name);
      if (typeof member !== 'function' || name !== 'scrub') return member;
      return async () => {
        const limits = await inner.scrub();
        commits.loseNext(TENANTS_TABLE);
        return limits;
      };
    },
  });

forEachStore('an erasure of a tenant whose last commit lost its confirmation', () => {
  let node: TenantsNode;
  afterEach(() => node.stop());

  it('has its receipt in the file once when its request is repeated', async () => {
    const commits = createLostCommits();
    node = await startTenantsNode({ wrapStore: (store) => losingEnds(commits, store) });
    const file = join(node.kernel.get(NodeSettings).dataFolder, ERASED_TENANTS.file);
    const receipts = (): object[] =>
      (existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [])
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
    await node.say(await node.create('acme'), 'user:a', 'lavender');
    await node.must(503, 'DELETE', '/v1/tenants/acme', { confirm: 'acme' });
    for (let n = 0; n < 2; n += 1) {
      const { body } = await node.must(200, 'DELETE', '/v1/tenants/acme', { confirm: 'acme' });
      expect(receipts()).to.deep.equal([body.erasure.receipt]);
    }
  });
});
