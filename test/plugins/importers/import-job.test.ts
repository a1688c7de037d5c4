import { expect } from 'chai';
import { definePlugin, KERNEL_API } from '../../../kernel/plugin-api.ts';
import { JobQueue } from '../../../plugins/jobs/jobs-api.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const ITEMS = Array.from({ length: 30 }, (_, n) => ({
  ...{ type: 'entity', name: `Noor ${n}`, entityType: 'person', observations: ['Keeps an archive'] },
}));
const CONTENT = Buffer.from(ITEMS.map((item) => `${JSON.stringify(item)}\n`).join('')).toString('base64');
const SENT = { name: 'memory.jsonl', content: CONTENT, scope: 'team', source_prefix: 'import:' };
const FACTS = 2 * ITEMS.length;

/** Leaves a job for a file that no process has, as the crash of a node does. */
const crashedImport = definePlugin({
  name: 'crashed',
  version: '1.0.0',
  kernelApi: KERNEL_API,
  requires: { jobs: JobQueue },
  setup({ use, every }) {
    let isLeft = false;
    every(1_000, async () => {
      const request = { type: 'imports.run', tenantId: 'default', creator: 'agent:crashed' };
      if (!isLeft) await use.jobs.enqueue({ ...request, payload: { file: 'gone', importer: 'agent:crashed' } });
      isLeft = true;
    });
  },
});

forEachStore('an import as a job', () => {
  let node: TestNode;
  let key: string;
  const start = async (): Promise<void> => {
    node = await startTestNode({ plugins: ['keys', 'facts', 'jobs', 'importers', crashedImport] });
    key = await node.addKey({ entityUri: 'agent:importer' });
  };
  beforeEach(start);
  afterEach(() => node.stop());

  const ask = (method: string, path: string, body?: object, as = key) =>
    node.request(method, path, { key: as, ...(body === undefined ? {} : { body }) });
  const sendAsJob = async (): Promise<string> => {
    const { status, body, text } = await ask('POST', '/v1/imports', { ...SENT, as_job: true });
    expect(status, text).to.equal(202);
    return body.job_id;
  };
  const endOf = async (id: string, as = key) => {
    let job: Readonly<Record<string, unknown>> = {};
    await comesTrue(async () => {
      await node.clock.advance(1_000);
      job = (await ask('GET', `/v1/jobs/${id}`, undefined, as)).body;
      return job['status'] !== 'pending' && job['status'] !== 'running';
    });
    return job;
  };

  it('goes on without its caller, and keeps its sums and sources', async () => {
    const job = await endOf(await sendAsJob());
    expect(job).to.include({ status: 'done', job_type: 'imports.run', scope: 'team', name: 'memory.jsonl' });
    expect(job).to.include({ format: 'mcp-memory', stored: FACTS, refused: 0 });
    expect(job['sources']).to.deep.equal(['import:mcp-memory']);
    expect((await ask('GET', '/v1/facts?sources=import:*')).body.total).to.equal(FACTS);
    const { jobs } = (await ask('GET', '/v1/jobs?type=imports.run')).body;
    expect(jobs.map(({ job_id: id }: { job_id: string }) => id)).to.deep.equal([job['job_id']]);
    expect((await endOf(await sendAsJob()))['same'], 'a repeated import stores nothing').to.equal(FACTS);
  });

  it('tells only its importer the sums', async () => {
    const admin = await node.addKey({ entityUri: 'user:admin', permissions: ['read', 'admin'] });
    const narrow = await node.addKey({ entityUri: 'agent:importer', permissions: ['read'], scopes: ['public'] });
    const id = await sendAsJob();
    await endOf(id);
    for (const other of [admin, narrow]) {
      const { status, body } = await ask('GET', `/v1/jobs/${id}`, undefined, other);
      expect([status, body.status]).to.deep.equal([200, 'done']);
      expect(body).to.not.have.any.keys('stored', 'sources', 'name', 'progress', 'importer', 'refused_items');
    }
  });

  it('says that the file is lost where the node has stopped in between', async () => {
    const crashed = await node.addKey({ entityUri: 'agent:crashed' });
    let jobs: readonly { readonly job_id: string }[] = [];
    await comesTrue(async () => {
      await node.clock.advance(1_000);
      jobs = (await ask('GET', '/v1/jobs?type=imports.run', undefined, crashed)).body.jobs;
      return jobs.length > 0;
    });
    const job = await endOf(String(jobs[0]?.job_id), crashed);
    expect(job['status']).to.equal('failed');
    expect(job['error']).to.contain('no longer has the file: import it again, which stores nothing twice');
  });

  it('is refused for a trial, and for a file of no known format', async () => {
    const trial = await ask('POST', '/v1/imports', { ...SENT, as_job: true, dry_run: true });
    expect([trial.status, trial.body.detail]).to.deep.equal([422, 'body.as_job does not go with body.dry_run']);
    const content = Buffer.from('no export').toString('base64');
    expect((await ask('POST', '/v1/imports', { ...SENT, content, as_job: true })).status).to.equal(422);
    expect((await ask('GET', '/v1/jobs?type=imports.run')).body.jobs).to.deep.equal([]);
  });
});
