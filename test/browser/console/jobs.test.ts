import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { JobQueue } from '../../../plugins/jobs/jobs-api.ts';
import type { Page } from '../../kit/browser.ts';
import { describeConsole } from './describe-console.ts';
import { button, isTold, offered, press, sendForm } from './reader-steps.ts';

const TOTAL = 10;

/** A job that stops at its third step until it is cancelled, and completes after it is resumed. */
const slowWork = (type: string) =>
  defineOwnPlugin({
    name: 'acme-slow',
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

const TYPE = 'acme-slow.work';

describeConsole('jobs in the console', { plugins: [slowWork(TYPE)] }, (running) => {
  const begin = (creator: string): Promise<string> =>
    running().served.node.kernel.get(JobQueue).enqueue({ type: TYPE, tenantId: 'default', creator });
  const stateOf = async (id: string): Promise<string> =>
    (await running().served.ask('GET', `/v1/jobs/${id}`)).body.status;
  const lineOf = (page: Page) => page.locator(`.row:has-text("${TYPE}")`).first();

  it('say on focus what their numbers mean, with a link to all terms', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('jobs');
    const place = page.locator('.term-place:has(button:text-is("Progress"))');
    await button(page, 'Progress').press('Shift');
    await place.getByText('The part of a job that is done').waitFor();
    await place.getByRole('link', { name: 'All terms' }).click();
    await page.locator('#number-progress').getByText('The part of a job that is done').waitFor();
  });

  it('show their progress, are cancelled, and continue from there when resumed', async () => {
    const id = await begin('agent:worker');
    const { page, open, seriousFindings } = await running().enter(
      await running().keyFor('agent:worker', ['read', 'write']),
    );
    await open('jobs');
    await lineOf(page).getByText(`3 of ${TOTAL} done`).waitFor();
    expect(await seriousFindings()).to.deep.equal([]);
    expect(await stateOf(id)).to.equal('running');
    await sendForm(page, { opener: `Cancel job ${TYPE}`, submit: 'Cancel job' });
    await isTold(page, `${TYPE} is cancelled.`);
    await lineOf(page).getByText('cancelled').waitFor();
    expect(await stateOf(id)).to.equal('failed');
    await button(page, `Cancel job ${TYPE}`).waitFor({ state: 'detached' });
    await sendForm(page, { opener: `Resume ${TYPE}`, submit: 'Resume' });
    await isTold(page, `${TYPE} goes on.`);
    await lineOf(page).getByText('done', { exact: true }).waitFor();
    expect(await stateOf(id)).to.equal('done');
    expect((await offered(page)).filter((name) => name === 'Resume' || name === 'Cancel job')).to.deep.equal([]);
  });

  it('continue when the user dismisses the cancel dialog', async () => {
    const id = await begin('agent:admin');
    const { page, open } = await running().enter(running().served.adminKey);
    await open('jobs');
    await press(page, `Cancel job ${TYPE}`);
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await stateOf(id)).to.equal('running');
    await open('overview');
    await page.locator('main').getByText(TYPE).first().waitFor();
  });

  it('of other users are hidden from callers who do not administer the node', async () => {
    const { page, open } = await running().enter(await running().keyFor('agent:other', ['read', 'write']));
    await open('jobs');
    await page.getByText('No job').waitFor();
  });
});
