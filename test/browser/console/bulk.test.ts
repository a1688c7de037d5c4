import { expect } from 'chai';
import { isBrowserInstalled, type Page } from '../../kit/browser.ts';
import { type ConsoleBrowser, startConsoleBrowser } from './console-browser.ts';
import { LOOKS } from './describe-console.ts';
import { button, countClicks, dialog, isTold, press } from './reader-steps.ts';

const MANY = 20;

if (isBrowserInstalled()) {
  describe('actions on many items in the console', function () {
    this.timeout(180_000);
    let console: ConsoleBrowser;
    beforeEach(async () => {
      console = await startConsoleBrowser();
    });
    afterEach(async () => {
      const faults = await console?.leave();
      await console?.stop();
      expect(faults).to.deep.equal([]);
    });

    const ask = async (method: string, path: string, body?: object) =>
      (await console.served.ask(method, path, body)).body;
    const say = (entity: string, v: string, source: string) =>
      ask('POST', '/v1/facts', { entity, relation: 'memory:opens', value: { type: 'string', v }, source });
    const contradict = async (count: number): Promise<void> => {
      for (let at = 0; at < count; at += 1) {
        await say(`shop:${at}`, 'May', 'agent:owner');
        await say(`shop:${at}`, 'June', 'agent:rumour');
      }
    };
    const open = async (): Promise<number> =>
      (await ask('GET', '/v1/conflicts?status=unresolved&limit=100')).conflicts.length;
    const valuesOf = async (entity: string): Promise<readonly string[]> =>
      (await ask('GET', `/v1/facts?entity=${entity}&relation=memory:opens`)).facts
        .filter(({ confidence }: { confidence: number }) => confidence > 0)
        .map(({ value }: { value: { v: string } }) => value.v);
    const spills = (page: Page): Promise<boolean> =>
      page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');

    it(`settle ${MANY} contradictions by source in four clicks, and open them again by an undo`, async () => {
      await contradict(MANY);
      const { page, open: visit } = await console.enter(console.served.adminKey);
      await visit('contradictions');
      const clicks = await countClicks(page);
      await page.getByLabel('Select all that are listed').click();
      await press(page, 'Settle');
      const form = await dialog(page, 'Settle the selected contradictions');
      await form.getByLabel('agent:owner settles 20').click();
      await form.getByText('20 changes').waitFor();
      await form
        .getByText(/^is .?May.?, said by agent:owner; this ends: .?June/)
        .first()
        .waitFor();
      await form.getByText('An undo says the ended values again in your name').waitFor();
      expect(await open(), 'the preview changes nothing').to.equal(MANY);
      await press(form, 'Settle 20');
      await isTold(page, '20 contradictions are settled.');
      expect(await clicks()).to.equal(4);
      expect(await open()).to.equal(0);
      expect(await valuesOf('shop:7'))
        .to.include('May')
        .and.not.include('June');
      await press(page, 'Undo');
      const undo = await dialog(page, 'Undo this?');
      await undo
        .getByText(/is said again: .?June/)
        .first()
        .waitFor();
      await press(undo, 'Undo');
      await isTold(page, 'Taken back: 20 values were said again.');
      expect(await open()).to.equal(MANY);
    });

    it('are selected by keyboard: one by one, and a range with the shift key', async () => {
      await contradict(4);
      const { page, open: visit } = await console.enter(console.served.adminKey);
      await visit('contradictions');
      await page.locator('.rival').nth(1).waitFor();
      await page.keyboard.press('x');
      await page.getByText('1 selected').waitFor();
      await page.keyboard.press('j');
      await page.locator('.conflict').getByText('shop:1').first().waitFor();
      await page.keyboard.press('x');
      await page.getByText('2 selected').waitFor();
      await visit('facts');
      const boxes = page.locator('.row .select-box');
      await boxes.nth(0).press('Space');
      await page.getByText('1 selected').waitFor();
      await boxes.nth(4).press('Shift+Space');
      await page.getByText('5 selected').waitFor();
    });

    it('name each refused change, and go on where they stopped', async () => {
      await contradict(3);
      const { page, open: visit } = await console.enter(console.served.adminKey);
      await visit('contradictions');
      await page.getByLabel('Select all that are listed').click();
      await press(page, 'Settle');
      const form = await dialog(page, 'Settle the selected contradictions');
      const { conflicts } = await ask('GET', '/v1/conflicts');
      const { conflict_id: id, fact_a: fact } = conflicts[1];
      await ask('POST', `/v1/conflicts/${id}/resolve`, { winning_fact_id: fact.id });
      await press(form, 'Settle 3');
      await form.getByText('1 was refused').waitFor();
      await form.getByText('2 of 3 done').waitFor();
      await form.getByText(/shop:1 memory:opens: .*already resolved/).waitFor();
      await press(form, 'Try 1 again');
      await form.getByText('1 was refused').waitFor();
      await form.getByRole('button', { name: 'Close', exact: true }).nth(1).click();
      await isTold(page, '2 contradictions are settled.');
      expect(await open()).to.equal(0);
    });

    it('retract facts, one by one, and say them again by an undo', async () => {
      for (const entity of ['shop:1', 'shop:2']) await say(entity, 'May', 'agent:owner');
      const { page, open: visit } = await console.enter(console.served.adminKey);
      await visit('facts?relation=memory:opens');
      await page.getByLabel('Select all that are listed').click();
      await press(page, 'Retract');
      const form = await dialog(page, 'Retract the selected facts');
      await form
        .getByText(/is no longer .?May.?, said by agent:owner/)
        .first()
        .waitFor();
      await press(form, 'Retract 2');
      await isTold(page, '2 facts are retracted.');
      expect(await valuesOf('shop:1')).to.deep.equal([]);
      await press(page, 'Undo');
      await press(await dialog(page, 'Undo this?'), 'Undo');
      await isTold(page, 'Taken back: 2 values were said again.');
      expect(await valuesOf('shop:1')).to.deep.equal(['May']);
    });

    it('only export for a key without permission to write', async () => {
      await contradict(1);
      const { page, open: visit } = await console.enter(await console.keyFor('agent:reader', ['read']));
      for (const screen of ['facts', 'contradictions']) {
        await visit(screen);
        await page.getByLabel('Select all that are listed').click();
        await button(page, 'Export').waitFor();
        expect(await button(page, 'Retract').count(), screen).to.equal(0);
        expect(await button(page, 'Settle').count(), screen).to.equal(0);
      }
    });

    it('fit each size and look, dialogs included, without a serious accessibility finding', async () => {
      await contradict(MANY);
      for (const look of LOOKS) {
        const { page, open: visit, seriousFindings } = await console.enter(console.served.adminKey, look);
        const name = `${look.viewport.width} ${look.colorScheme}`;
        for (const [screen, opener] of [
          ['contradictions', 'Settle'],
          ['facts', 'Retract'],
        ] as const) {
          await visit(screen);
          await page.getByLabel('Select all that are listed').click();
          expect(await spills(page), `${screen} ${name}`).to.equal(false);
          expect(await seriousFindings(), `${screen} ${name}`).to.deep.equal([]);
          await press(page, opener);
          await page.locator('dialog .bulk-preview').first().waitFor();
          const { width } = look.viewport;
          const isOut = `(({ left, right }) => left < 0 || right > ${width})(document.querySelector("dialog").getBoundingClientRect())`;
          expect(await page.evaluate(isOut), `${opener} ${name}`).to.equal(false);
          expect(await seriousFindings(), `${opener} ${name}`).to.deep.equal([]);
          await page.keyboard.press('Escape');
        }
      }
    });
  });
}
