import { expect } from 'chai';
import { settled } from './console-browser.ts';
import { describeConsole, LOOKS } from './describe-console.ts';
import { countClicks, isTold, press } from './reader-steps.ts';

describeConsole('backups in the console', {}, (running) => {
  it('are made in one click, and each says how it is restored in a second one', async () => {
    const { page, open } = await running().enter(running().served.adminKey);
    await open('backups');
    await page.getByText('There is no backup').waitFor();
    const clicks = await countClicks(page);
    await press(page, 'Make a backup');
    await isTold(page, 'The backup is made.');
    const { backups } = (await running().served.ask('GET', '/v1/backups')).body;
    expect(backups).to.have.length(1);
    await press(page, `How to restore ${backups[0].id}`);
    const steps = page.getByRole('dialog');
    await steps.getByText(`fact-memory-node restore ${backups[0].id} --replace`).waitFor();
    await steps.getByText('Have the file node.key ready').waitFor();
    expect(await clicks()).to.equal(2);
  });

  it('fit each size and look, dialog included, without a serious accessibility finding', async () => {
    for (const look of LOOKS) {
      const { page, open, seriousFindings } = await running().enter(running().served.adminKey, look);
      const name = `${look.viewport.width} ${look.colorScheme}`;
      await open('backups');
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), name).to.equal(false);
      expect(await seriousFindings(), name).to.deep.equal([]);
      await page
        .getByRole('button', { name: /^How to restore/ })
        .first()
        .click();
      await page.getByRole('dialog').waitFor();
      await settled(page);
      expect(await seriousFindings(), `${name}, dialog`).to.deep.equal([]);
    }
  });
});
