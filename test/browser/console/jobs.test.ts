import { expect } from 'chai';
import { definePlugin, KERNEL_API } from '../../../kernel/plugin-api.ts';
import { JobQueue } from '../../../plugins/jobs/jobs-api.ts';
import { isBrowserInstalled, type Page } from '../../kit/browser.ts';
import { type ConsoleBrowser, startConsoleBrowser } from './console-browser.ts';
import { button, isTold, offered, press, sendForm } from './reader-steps.ts';

const TOTAL = 10;

/** A job that stops at its third step until it is cancelled, and completes after it is resumed. */
const slowWork = (type: string) =>
  definePlugin({
    name: 'acme-slow',
    version: '1.0.0',
    kernelApi: KERNEL_API,
    summary: 'works for long',
    requires: { jobs: JobQueue },
    setup({ use }) {
      use.jobs.handle(type, {
        async run(job) {
          if (job.resumedFrom !== null) return { steps: TOTAL };
          await job.checkpoint({ steps: 3 });
          job.progress({ done: 3, total: TOTAL });
          await new Promise((_, reject) => job.signal.addEventListener('abort', () => reject(new Error('stopped'))));
          return undefined;
        },
      });
    },
  });

if (isBrowserInstalled()) {
  describe('jobs in the console', function () {
    this.timeout(180_000);
    const type = 'acme-slow.work';
    let console: ConsoleBrowser;
    before(async () => {
      console = await startConsoleBrowser({}, [slowWork(type)]);
    });
    afterEach(async () => {
      expect(await console.leave()).to.deep.equal([]);
    });
    after(() => console?.stop());

    const begin = (creator: string): Promise<string> =>
      console.served.node.kernel.get(JobQueue).enqueue({ type, tenantId: 'default', creator });
    const stateOf = async (id: string): Promise<string> =>
      (await console.served.ask('GET', `/v1/jobs/${id}`)).body.status;
    const lineOf = (page: Page) => page.locator(`.row:has-text("${type}")`).first();

    it('show their progress, are cancelled, and continue from there when resumed', async () => {
      const id = await begin('agent:worker');
      const { page, open, seriousFindings } = await console.visit(
        await console.keyFor('agent:worker', ['read', 'write']),
      );
      await open('jobs');
      await lineOf(page).getByText(`3 of ${TOTAL} done`).waitFor();
      expect(await seriousFindings()).to.deep.equal([]);
      expect(await stateOf(id)).to.equal('running');
      await sendForm(page, { opener: `Cancel job ${type}`, submit: 'Cancel job' });
      await isTold(page, `${type} is cancelled.`);
      await lineOf(page).getByText('cancelled').waitFor();
      expect(await stateOf(id)).to.equal('failed');
      await button(page, `Cancel job ${type}`).waitFor({ state: 'detached' });
      await sendForm(page, { opener: `Resume ${type}`, submit: 'Resume' });
      await isTold(page, `${type} goes on.`);
      await lineOf(page).getByText('done', { exact: true }).waitFor();
      expect(await stateOf(id)).to.equal('done');
      expect((await offered(page)).filter((name) => name === 'Resume' || name === 'Cancel job')).to.deep.equal([]);
    });

    it('continue when the user dismisses the cancel dialog', async () => {
      const id = await begin('agent:admin');
      const { page, open } = await console.visit(console.served.adminKey);
      await open('jobs');
      await press(page, `Cancel job ${type}`);
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await stateOf(id)).to.equal('running');
      await open('overview');
      await page.locator('main').getByText(type).first().waitFor();
    });

    it('of other users are hidden from callers who do not administer the node', async () => {
      const { page, open } = await console.visit(await console.keyFor('agent:other', ['read', 'write']));
      await open('jobs');
      await page.getByText('No job').waitFor();
    });
  });
}
