import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { httpAdmit, ServiceError } from '../../../kernel/plugin-api.ts';
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
const crashedImport = defineOwnPlugin({
  name: 'crashed',
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

/** Lets no batch through while `isShut`, so that an import waits. */
const gate = { isShut: false, batches: 0 };
const gatePlugin = defineOwnPlugin({
  name: 'gate',
  setup({ on }) {
    on(httpAdmit, ({ request }) => {
      if (!gate.isShut || request.path !== '/v1/facts/batch') return {};
      gate.batches += 1;
      throw new ServiceError('unavailable', 'not now');
    });
  },
});

forEachStore('an import as a job', () => {
  let node: TestNode;
  let key: string;
  const start = async (): Promise<void> => {
    node = await startTestNode({ plugins: ['keys', 'facts', 'jobs', 'importers', crashedImport, gatePlugin] });
    Object.assign(gate, { isShut: false, batches: 0 });
    key = await node.addKey({ entityUri: 'agent:importer' });
  };
  beforeEach(start);
  afterEach(() => node.stop());

  const ask = (method: string, path: string, body?: object, as = key) =>
    node.request(method, path, { key: as, ...(body === undefined ? {} : { body }) });
  const sendAsJob = async (as = key): Promise<string> => {
    const { status, body, text } = await ask('POST', '/v1/imports', { ...SENT, as_job: true }, as);
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
    expect(job['error']).to.equal(
      'the process that had the file of this import has stopped, or the import is over: ' +
        'import the file again, which stores nothing twice',
    );
  });

  const startWaiting = async (as = key): Promise<string> => {
    gate.isShut = true;
    const id = await sendAsJob(as);
    await comesTrue(async () => gate.batches > 0);
    return id;
  };

  it('says that it is over and its file gone where somebody resumes it after it was cancelled', async () => {
    const id = await startWaiting();
    expect((await ask('DELETE', `/v1/jobs/${id}`)).status).to.equal(204);
    gate.isShut = false;
    const resumed = await ask('POST', `/v1/jobs/${id}/resume`);
    expect(resumed.status, resumed.text).to.equal(202);
    const { status, error } = await endOf(id);
    expect([status, error]).to.deep.equal([
      'failed',
      'this import is over, and the node did not keep its file: import the file again, which stores nothing twice',
    ]);
  });

  it('says what a caller of the API can do where its key ends during the import', async () => {
    const admin = await node.addKey({ entityUri: 'user:admin', permissions: ['read', 'write', 'admin'] });
    const raw_key = 'leaves-0123456789abcdef0123456789abcdef';
    const leaver = { raw_key, entity_uri: 'agent:importer', permissions: ['read', 'write'], allowed_scopes: ['team'] };
    const added = await ask('POST', '/v1/auth/keys', leaver, admin);
    expect(added.status, added.text).to.equal(201);
    const id = await startWaiting(raw_key);
    expect((await ask('DELETE', `/v1/auth/keys/${added.body.id}`, undefined, admin)).status).to.be.within(200, 204);
    gate.isShut = false;
    const { status, error } = await endOf(id);
    expect(status).to.equal('failed');
    expect(error, 'in the words of a request').to.include('Authorization: Bearer').and.not.include('SVC_');
  });

  it('is refused for a trial, and for a file of no known format', async () => {
    const trial = await ask('POST', '/v1/imports', { ...SENT, as_job: true, dry_run: true });
    expect([trial.status, trial.body.detail]).to.deep.equal([422, 'body.as_job does not go with body.dry_run']);
    const content = Buffer.from('no export').toString('base64');
    expect((await ask('POST', '/v1/imports', { ...SENT, content, as_job: true })).status).to.equal(422);
    expect((await ask('GET', '/v1/jobs?type=imports.run')).body.jobs).to.deep.equal([]);
  });
});
